/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Another backend with faults by script, and a record of all calls that were made of it.
 *
 * <pre>{@code
 * FaultSystemCalls faults = new FaultSystemCalls(real);
 * faults.on(Function.PREAD).at(3).fail(Errno.EIO);
 * faults.on(Function.PWRITE).every(2).transferAtMost(1);
 * faults.on(Function.PREAD_NO_WAIT).always().answer(1);
 * }</pre>
 *
 * <p>Of the rules that match a call the first given wins; calls that none matches are passed on.
 * The calls of each function are numbered from 1, since the creation or the last {@link #forget}. A
 * failing {@code close} closes the real descriptor all the same, as the kernel does; so does one
 * that throws.
 *
 * <p>It is thread-safe, and takes a lock to record a call, never during one.
 */
public final class FaultSystemCalls implements SystemCalls {

  /** The functions of {@link SystemCalls} that are calls. */
  public enum Function {
    OPEN,
    CLOSE,
    PREAD,
    PREAD_NO_WAIT,
    PREAD_ARRAY,
    PWRITE,
    FTRUNCATE,
    FSYNC,
    FDATASYNC,
    FSTAT,
    FADVISE,
    PREADV,
    DIRECT_ALIGNMENT
  }

  /**
   * One call that was made.
   *
   * @param number from 1, among the calls of this function
   * @param path of the file, also where the call had a descriptor
   * @param position 0 where the function takes none
   * @param length what was asked for; 0 where the function takes none
   * @param argument the {@link OpenMode} or the {@link Advice}, else null
   * @param result what the caller was told
   */
  public record Call(
      Function function,
      long number,
      Path path,
      long position,
      long length,
      Enum<?> argument,
      long result) {}

  /** The call itself, of at most so many bytes. */
  private interface Real {
    long call(int length);
  }

  private record Rule(Function function, LongPredicate when, Effect effect) {}

  private interface Effect {
    long apply(int length, Real real);
  }

  private final SystemCalls real;
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final Map<Integer, Path> paths = new ConcurrentHashMap<>();
  private final Map<Function, Long> counts = new EnumMap<>(Function.class);
  private final List<Call> calls = new ArrayList<>();
  private final Set<Integer> simulated = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Integer> allocations = new ConcurrentLinkedQueue<>();
  private volatile int directAlignment;
  private volatile boolean refusesDirect;
  private volatile boolean arrays;
  private boolean recording = true;

  /** Passes calls on to {@code real}. */
  public FaultSystemCalls(SystemCalls real) {
    this.real = real;
  }

  /** Starts a rule for {@code function}. */
  public When on(Function function) {
    return new When(function);
  }

  /** Which calls of a function a rule is for. */
  public final class When {

    private final Function function;

    private When(Function function) {
      this.function = function;
    }

    /** Makes a rule for the {@code k}-th call, from 1. */
    public Then at(long k) {
      return new Then(function, n -> n == k);
    }

    /** Makes a rule for the {@code k}-th call, from 1, and all that follow. */
    public Then from(long k) {
      return new Then(function, n -> n >= k);
    }

    /** Makes a rule for each {@code n}-th call. */
    public Then every(long n) {
      return new Then(function, k -> k % n == 0);
    }

    /** Makes a rule for all calls. */
    public Then always() {
      return new Then(function, n -> true);
    }

    /** Makes a rule for some calls. The seed decides for which, and neither time nor threads do. */
    public Then randomly(long seed, double probability) {
      return new Then(
          function,
          n -> new SplittableRandom(seed + n * 0x9E3779B97F4A7C15L).nextDouble() < probability);
    }
  }

  /** What happens to the calls a rule is for. */
  public final class Then {

    private final Function function;
    private final LongPredicate when;

    private Then(Function function, LongPredicate when) {
      this.function = function;
      this.when = when;
    }

    /** Returns {@code -errno}; nothing else happens, but that {@code close} closes. */
    public FaultSystemCalls fail(int errno) {
      return answer(-errno);
    }

    /** Returns {@code result}; nothing else happens, but that {@code close} closes. */
    public FaultSystemCalls answer(long result) {
      return add(
          (length, call) -> {
            if (function == Function.CLOSE) {
              call.call(length);
            }
            // What an earlier call ended with is not what this one did.
            real.takeFailure();
            return result;
          });
    }

    /** Returns what {@code call} does; nothing else happens. */
    public FaultSystemCalls instead(LongSupplier call) {
      return add((length, unused) -> call.getAsLong());
    }

    /** Reads or writes at most {@code count} bytes, and says so. */
    public FaultSystemCalls transferAtMost(int count) {
      return add((length, call) -> call.call(Math.min(length, count)));
    }

    /** Runs {@code action} (which may throw), then makes the call. */
    public FaultSystemCalls first(Runnable action) {
      return add(
          (length, call) -> {
            try {
              action.run();
            } catch (Throwable t) {
              if (function == Function.CLOSE) {
                call.call(length);
              }
              throw t;
            }
            return call.call(length);
          });
    }

    private FaultSystemCalls add(Effect effect) {
      rules.add(new Rule(function, when, effect));
      return FaultSystemCalls.this;
    }
  }

  /**
   * From now on direct modes open without {@code O_DIRECT}, on any backend and file system, and the
   * calls behave as with it: {@link #directAlignment} answers {@code alignment}, and transfers that
   * don't keep to it are {@code EINVAL}.
   *
   * @param alignment a power of two; 0 passes direct modes on again
   */
  public FaultSystemCalls simulateDirect(int alignment) {
    directAlignment = alignment;
    return this;
  }

  /**
   * From now on direct modes are {@code EINVAL}, on any backend and file system, as the kernel
   * answers where there is no {@code O_DIRECT}: a file that was to be created is there then.
   */
  public FaultSystemCalls refuseDirect() {
    refusesDirect = true;
    return this;
  }

  /**
   * From now on reads into arrays are made, on any backend, as if all of the file were resident.
   * Without this they are refused, so that every read of a file is a {@link Function#PREAD}.
   */
  public FaultSystemCalls simulateArrays() {
    arrays = true;
    return this;
  }

  /** Drops all rules. */
  public void calm() {
    rules.clear();
  }

  /** Forgets the calls made so far and numbers those to come from 1. */
  public synchronized void forget() {
    calls.clear();
    counts.clear();
  }

  /** Counts calls but keeps no record of them: for tests that make very many. */
  public synchronized FaultSystemCalls withoutRecord() {
    recording = false;
    return this;
  }

  /** Returns how many calls of {@code function} have been made. */
  public synchronized long count(Function function) {
    return counts.getOrDefault(function, 0L);
  }

  /** Returns how many calls have been made. */
  public synchronized long count() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns all calls in the order in which they ended. */
  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Returns the calls of {@code function} in the order in which they ended. */
  public List<Call> calls(Function function) {
    return calls().stream().filter(c -> c.function() == function).toList();
  }

  /** Returns the sizes of all buffers that have been made, in bytes. */
  public List<Integer> allocations() {
    return List.copyOf(allocations);
  }

  /** Returns the advice given, in order. */
  public List<Advice> advice() {
    return calls(Function.FADVISE).stream().map(c -> (Advice) c.argument()).toList();
  }

  private long run(
      Function function,
      Path path,
      long position,
      long length,
      Enum<?> argument,
      int transfer,
      Real call) {
    long number;
    synchronized (this) {
      number = counts.merge(function, 1L, Long::sum);
    }
    long result =
        rules.stream()
            .filter(r -> r.function() == function && r.when().test(number))
            .findFirst()
            .map(Rule::effect)
            .orElse((n, r) -> r.call(n))
            .apply(transfer, call);
    synchronized (this) {
      if (recording) {
        calls.add(new Call(function, number, path, position, length, argument, result));
      }
    }
    return result;
  }

  private long transfer(Function function, int fd, int length, long position, Real call) {
    return run(function, paths.get(fd), position, length, null, length, call);
  }

  private int run(Function function, int fd, long length, Real call) {
    return (int) run(function, paths.get(fd), 0, length, null, 0, call);
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public IOException takeFailure() {
    return real.takeFailure();
  }

  @Override
  public NativeBuffer allocate(int size, int alignment) {
    allocations.add(size);
    return real.allocate(size, alignment);
  }

  @Override
  public ByteBuffer map(int size) {
    return real.map(size);
  }

  @Override
  public NativeBuffer wrap(ByteBuffer mapped) {
    allocations.add(mapped.capacity());
    return real.wrap(mapped);
  }

  @Override
  public boolean mapIsLazy() {
    return real.mapIsLazy();
  }

  @Override
  public int discard(ByteBuffer mapped) {
    return real.discard(mapped);
  }

  @Override
  public int populate(ByteBuffer mapped) {
    return real.populate(mapped);
  }

  @Override
  public IoVector newVector(int capacity) {
    return real.newVector(capacity);
  }

  @Override
  public int open(Path path, OpenMode mode) {
    return (int) run(Function.OPEN, path, 0, 0, mode, 0, n -> named(path, openReal(path, mode)));
  }

  private int openReal(Path path, OpenMode mode) {
    if (!mode.isDirect() || (directAlignment == 0 && !refusesDirect)) {
      return real.open(path, mode);
    }
    int fd = real.open(path, mode == OpenMode.READ_DIRECT ? OpenMode.READ : OpenMode.CREATE);
    if (fd >= 0 && refusesDirect) {
      real.close(fd);
      real.takeFailure();
      return -Errno.EINVAL;
    }
    if (fd >= 0) {
      simulated.add(fd);
    }
    return fd;
  }

  /**
   * Returns whether the kernel would refuse this transfer of a file that is open for direct I/O.
   */
  private boolean misaligned(int fd, ByteBuffer memory, int offset, int length, long position) {
    int alignment = directAlignment;
    return alignment != 0
        && simulated.contains(fd)
        && (position % alignment != 0
            || length % alignment != 0
            || memory.alignmentOffset(offset, alignment) != 0);
  }

  private boolean misaligned(int fd, IoVector vector, long position) {
    boolean misaligned = false;
    for (int place = vector.first(); place < vector.first() + vector.size(); place++) {
      misaligned |=
          misaligned(
              fd, vector.memory(place), vector.offset(place), vector.length(place), position);
    }
    return misaligned;
  }

  private int named(Path path, int fd) {
    if (fd >= 0) {
      paths.put(fd, path);
    }
    return fd;
  }

  @Override
  public int close(int fd) {
    return run(
        Function.CLOSE,
        fd,
        0,
        n -> {
          // This comes before the number can be handed out again.
          paths.remove(fd);
          simulated.remove(fd);
          return real.close(fd);
        });
  }

  @Override
  public long pread(int fd, NativeBuffer dst, int offset, int length, long position) {
    return transfer(
        Function.PREAD,
        fd,
        length,
        position,
        misaligned(fd, dst.bytes(), offset, length, position)
            ? n -> -Errno.EINVAL
            : n -> real.pread(fd, dst, offset, n, position));
  }

  @Override
  public long preadv(int fd, IoVector vector, long position) {
    return transfer(
        Function.PREADV,
        fd,
        vector.length(),
        position,
        misaligned(fd, vector, position)
            ? n -> -Errno.EINVAL
            : n -> real.preadv(fd, n < vector.length() ? cut(vector, n) : vector, position));
  }

  /** Returns a copy of {@code vector} with no more than {@code length} bytes. */
  private IoVector cut(IoVector vector, int length) {
    IoVector copy = real.newVector(vector.capacity());
    for (int place = vector.first(); copy.length() < length; place++) {
      copy.add(
          vector.memory(place),
          vector.offset(place),
          Math.min(vector.length(place), length - copy.length()));
    }
    return copy;
  }

  @Override
  public long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position) {
    return transfer(
        Function.PREAD_NO_WAIT,
        fd,
        length,
        position,
        n -> real.preadNoWait(fd, dst, offset, n, position));
  }

  @Override
  public long preadNoWait(int fd, byte[] dst, int offset, int length, long position) {
    if (!arrays) {
      return -Errno.ENOSYS;
    }
    return transfer(
        Function.PREAD_ARRAY, fd, length, position, n -> readArray(fd, dst, offset, n, position));
  }

  private long readArray(int fd, byte[] dst, int offset, int length, long position) {
    long n = real.preadNoWait(fd, dst, offset, length, position);
    if (n >= 0) {
      return n;
    }
    NativeBuffer copied = real.allocate(length, 1);
    n = real.pread(fd, copied, 0, length, position);
    if (n > 0) {
      copied.get(0, dst, offset, (int) n);
    }
    return n;
  }

  @Override
  public long pwrite(int fd, NativeBuffer src, int offset, int length, long position) {
    return transfer(
        Function.PWRITE,
        fd,
        length,
        position,
        misaligned(fd, src.bytes(), offset, length, position)
            ? n -> -Errno.EINVAL
            : n -> real.pwrite(fd, src, offset, n, position));
  }

  /** Writes no file of an index, so that nothing is to be learned from a fault. */
  @Override
  public long write(int fd, NativeBuffer src, int offset, int length) {
    return real.write(fd, src, offset, length);
  }

  @Override
  public int ftruncate(int fd, long length) {
    return run(Function.FTRUNCATE, fd, length, n -> real.ftruncate(fd, length));
  }

  @Override
  public int fsync(int fd) {
    return run(Function.FSYNC, fd, 0, n -> real.fsync(fd));
  }

  @Override
  public int fdatasync(int fd) {
    return run(Function.FDATASYNC, fd, 0, n -> real.fdatasync(fd));
  }

  @Override
  public int fstat(int fd, FileStat stat) {
    return run(Function.FSTAT, fd, 0, n -> real.fstat(fd, stat));
  }

  @Override
  public long directAlignment(int fd) {
    return run(
        Function.DIRECT_ALIGNMENT,
        paths.get(fd),
        0,
        0,
        null,
        0,
        // Devices do the same: memory may be less aligned than the file.
        n ->
            simulated.contains(fd)
                ? (long) Math.min(4, directAlignment) << Integer.SIZE | directAlignment
                : real.directAlignment(fd));
  }

  @Override
  public int fadvise(int fd, long position, long length, Advice advice) {
    return (int)
        run(
            Function.FADVISE,
            paths.get(fd),
            position,
            length,
            advice,
            0,
            n -> real.fadvise(fd, position, length, advice));
  }
}
