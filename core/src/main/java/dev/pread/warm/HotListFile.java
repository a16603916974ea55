/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import dev.pread.posix.Backend;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file with the list of hot blocks, in a folder that this object has to itself. A new list is
 * written beside the old one, and takes its place by a rename when it is on the device: so there is
 * always a whole one, whenever the process or the machine dies.
 *
 * <p>The folder is locked for other processes by the kernel, which ends the lock with the process,
 * and for this process by {@link #IN_USE}, since the kernel grants a process the same lock twice.
 * Where the same class has been loaded twice, as by two plugins of a server, the JDK tells.
 *
 * <p>All is done by the name that the folder was given by, since that is what a server's policy
 * grants: where a symbolic link leads is known to it only if that was there when it looked.
 *
 * <p>It is not thread-safe, but for {@link #close}.
 */
final class HotListFile implements Closeable {

  private static final String NAME = "hot-blocks";
  private static final String NEXT = "hot-blocks.next";
  private static final String LOCK = "hot-blocks.lock";

  /** Whose cache has the folder, as a refusal says it. */
  static final String THIS_PROCESS = "this process";

  static final String ANOTHER_PROCESS = "another process";

  /**
   * What the system knows the locks by that this process has, whatever the names of their folders.
   * The open channel keeps the system from calling another file so.
   */
  private static final Set<Object> IN_USE = ConcurrentHashMap.newKeySet();

  /**
   * What has been opened of locks that the JDK says somebody else in this process has: the kernel
   * would end such a lock with the close of any descriptor of its file. It is guarded by the
   * monitor of this class.
   */
  private static final Map<Object, FileChannel> KEPT_OPEN = new HashMap<>();

  private final Backend backend;
  private final Path folder;
  private final Object key;
  private final FileChannel lock;

  private HotListFile(Backend backend, Path folder, Object key, FileChannel lock) {
    this.backend = backend;
    this.folder = folder;
    this.key = key;
    this.lock = lock;
  }

  /**
   * Takes a folder, which is made if it is not there.
   *
   * @throws IOException if it can't be had, or somebody else has it
   */
  static synchronized HotListFile open(Backend backend, Path folder) throws IOException {
    Path named = Files.createDirectories(folder).toAbsolutePath();
    createLock(named);
    Object key = key(named);
    if (!IN_USE.add(key)) {
      throw inUse(named, THIS_PROCESS);
    }
    FileChannel lock = KEPT_OPEN.remove(key);
    boolean done = false;
    try {
      if (lock == null) {
        lock = FileChannel.open(named.resolve(LOCK), StandardOpenOption.WRITE);
      }
      if (lock.tryLock() == null) {
        throw inUse(named, ANOTHER_PROCESS);
      }
      HotListFile file = new HotListFile(backend, named, key, lock);
      file.checkFolder();
      done = true;
      return file;
    } catch (OverlappingFileLockException e) {
      FileChannel ignored = KEPT_OPEN.put(key, lock);
      lock = null;
      throw inUse(named, THIS_PROCESS);
    } finally {
      if (!done) {
        release(key, lock);
      }
    }
  }

  /**
   * Makes the lock's file if it is not there. This closes what it has opened, which would end a
   * lock that the process has got in between: so one folder is opened at a time.
   */
  private static void createLock(Path folder) throws IOException {
    try {
      Path ignored = Files.createFile(folder.resolve(LOCK));
    } catch (FileAlreadyExistsException e) {
      // Its lock ended with the cache that made it, or another cache has it, which is seen later.
    }
  }

  /** Returns what the system knows the lock in the folder by. It must not be opened for that. */
  private static Object key(Path folder) throws IOException {
    Object key = Files.readAttributes(folder.resolve(LOCK), BasicFileAttributes.class).fileKey();
    // Windows has none.
    return key == null ? folder.toRealPath() : key;
  }

  /** Fails if the name no longer leads to the folder that is locked, but to somebody else's. */
  private void checkFolder() throws IOException {
    Object now = null;
    try {
      now = key(folder);
    } catch (NoSuchFileException e) {
      // The lock has been deleted, and another cache may have made one of its own.
    }
    if (!key.equals(now)) {
      throw new FileSystemException(
          folder.toString(),
          null,
          "this is no longer the folder that the cache has locked, or its "
              + LOCK
              + " was deleted: let the name lead there again, or close the cache and make it anew");
    }
  }

  private static FileSystemException inUse(Path folder, String process) {
    return new FileSystemException(
        folder.toString(),
        null,
        "another cache, of " + process + ", has its list there: give each a folder of its own");
  }

  private static void release(Object key, FileChannel lock) throws IOException {
    try {
      if (lock != null) {
        lock.close();
      }
    } finally {
      IN_USE.remove(key);
    }
  }

  Path path() {
    return folder.resolve(NAME);
  }

  /** Returns where the list is, for messages. */
  @Override
  public String toString() {
    return path().toString();
  }

  /** Returns the bytes of the file, none if there is no file. */
  byte[] read() throws IOException {
    try (PosixFile file = backend.open(path(), OpenMode.READ)) {
      if (file.length() > HotListFormat.MAX_BYTES) {
        throw new FileSystemException(
            path().toString(), null, "it is too long for a list of hot blocks: " + file.length());
      }
      byte[] bytes = new byte[(int) file.length()];
      NativeBuffer buffer = backend.scratch().take(bytes.length, file.alignment());
      try {
        for (int done = 0; done < bytes.length; ) {
          int count = Math.min(buffer.size(), bytes.length - done);
          int read = file.readFully(done, buffer, count, count);
          buffer.get(0, bytes, done, read);
          done += read;
        }
      } finally {
        backend.scratch().give(buffer);
      }
      return bytes;
    } catch (NoSuchFileException e) {
      return new byte[0];
    }
  }

  /**
   * Replaces what is in the file. If that fails, it stays as it is.
   *
   * @throws IOException also if the name of the folder leads to another one by now
   */
  void write(byte[] bytes) throws IOException {
    checkFolder();
    Path next = folder.resolve(NEXT);
    // A process that was killed may have left it.
    Files.deleteIfExists(next);
    try {
      try (PosixFile file = backend.open(next, OpenMode.CREATE)) {
        write(file, bytes);
        // Otherwise the name could get to the device before the bytes do.
        file.syncData();
      }
      Files.move(next, path(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException | Error e) {
      try {
        Files.deleteIfExists(next);
      } catch (IOException | RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private void write(PosixFile file, byte[] bytes) throws IOException {
    NativeBuffer buffer = backend.scratch().take(bytes.length, file.alignment());
    try {
      for (int done = 0; done < bytes.length; ) {
        int count = Math.min(buffer.size(), bytes.length - done);
        buffer.put(0, bytes, done, count);
        file.writeFully(done, buffer, 0, count);
        done += count;
      }
    } finally {
      backend.scratch().give(buffer);
    }
  }

  /** Gives the folder back. Calling it again has no effect. */
  @Override
  public void close() throws IOException {
    if (lock.isOpen()) {
      release(key, lock);
    }
  }
}
