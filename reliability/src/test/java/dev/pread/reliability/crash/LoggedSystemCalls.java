/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A backend that logs what changes files and what makes it safe. Nothing waits for the real device:
 * the one that counts is the model's. All else is passed on as it is.
 */
final class LoggedSystemCalls implements InvocationHandler {

  private final SystemCalls real;
  private final OperationLog log;

  /** The paths of open files, by descriptor. */
  private final Map<Integer, Path> paths = new ConcurrentHashMap<>();

  private LoggedSystemCalls(SystemCalls real, OperationLog log) {
    this.real = real;
    this.log = log;
  }

  /** Returns the calls of {@code real}, logged. */
  static SystemCalls over(SystemCalls real, OperationLog log) {
    return (SystemCalls)
        Proxy.newProxyInstance(
            SystemCalls.class.getClassLoader(),
            new Class<?>[] {SystemCalls.class},
            new LoggedSystemCalls(real, log));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    return switch (method.getName()) {
      case "open" -> opened((Path) args[0], (OpenMode) args[1]);
      case "close" -> {
        // This comes before the number can be handed out again.
        paths.remove((Integer) args[0]);
        yield call(method, args);
      }
      case "pwrite" -> written(args);
      case "ftruncate" -> {
        Object result = call(method, args);
        log.add(new Operation.Truncate(file(args), (Long) args[1]));
        yield result;
      }
      case "fdatasync", "fsync" -> synced(path(args));
      default -> call(method, args);
    };
  }

  private Object call(Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(real, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private int opened(Path path, OpenMode mode) {
    int fd = real.open(path, mode);
    if (fd >= 0) {
      paths.put(fd, path);
      if (mode == OpenMode.CREATE || mode == OpenMode.CREATE_DIRECT) {
        log.create(path);
      }
    }
    return fd;
  }

  private long written(Object[] args) {
    NativeBuffer src = (NativeBuffer) args[1];
    int offset = (Integer) args[2];
    long position = (Long) args[4];
    long n = real.pwrite((Integer) args[0], src, offset, (Integer) args[3], position);
    if (n > 0) {
      byte[] bytes = new byte[(int) n];
      src.get(offset, bytes, 0, bytes.length);
      log.add(new Operation.Write(file(args), position, ByteBuffer.wrap(bytes)));
    }
    return n;
  }

  private int synced(Path path) {
    Integer file = log.file(path);
    log.add(file == null ? new Operation.SyncFolder(path) : new Operation.SyncFile(file));
    return 0;
  }

  private Path path(Object[] args) {
    return paths.get((Integer) args[0]);
  }

  private int file(Object[] args) {
    return log.file(path(args));
  }
}
