/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.CacheCheck;
import dev.pread.cache.MemorySource;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MergeInfo;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/** What the tests of all packages share. */
public final class Fixtures {

  /**
   * The seed that random tests start from; {@code -Ddev.pread.test.seed} repeats or varies a run.
   */
  public static final long SEED = Long.getLong("dev.pread.test.seed", 4711);

  /**
   * How much random tests and races try: 1 on each change, and more in the nightly build, or by
   * {@code -Dtest.effort}.
   */
  public static final int EFFORT = Integer.getInteger("dev.pread.test.effort", 1);

  /** A merge's context, which drops hints. */
  public static final IOContext MERGE = LuceneCalls.merge(new MergeInfo(1000, 1 << 20, false, 2));

  /** A flush's context, which drops hints. */
  public static final IOContext FLUSH = LuceneCalls.flush(new FlushInfo(1000, 1 << 16));

  /** Random access. */
  public static final IOContext RANDOM = LuceneCalls.RANDOM;

  /** Sequential access, more than once, where Lucene has a word for it. */
  public static final IOContext SEQUENTIAL = LuceneCalls.SEQUENTIAL;

  /** All kinds of contexts an input is opened with. */
  public static final List<IOContext> CONTEXTS =
      List.of(IOContext.DEFAULT, IOContext.READONCE, MERGE, RANDOM, SEQUENTIAL);

  /**
   * No cache: what tests of the plain directory want, and what {@link #directory} means by default.
   */
  public static final BlockCache NO_CACHE = new BlockCache(0);

  /** Sets the buffer size for files that are read from start to end, which is no option. */
  public static PreadConfig.Builder sequentialBuffer(PreadConfig.Builder builder, int bytes) {
    return builder.sequentialBufferSize(bytes);
  }

  /** Sets the buffer size of outputs, which is no option. */
  public static PreadConfig.Builder writeBuffer(PreadConfig.Builder builder, int bytes) {
    return builder.writeBufferSize(bytes);
  }

  /** How long a test waits for another thread before it gives up: a guard against hanging. */
  public static final long TIMEOUT_SECONDS = 60;

  private Fixtures() {}

  /** Returns a context in which a file is read in the cache, as little different as can be. */
  static IOContext asSearched(IOContext context) {
    return LuceneCalls.kind(context) == IOContext.Context.DEFAULT ? context : IOContext.DEFAULT;
  }

  /** The work of one of several threads. */
  @FunctionalInterface
  public interface ThreadBody {
    /** Runs in thread number {@code thread}, from 0. */
    void run(int thread) throws Exception;
  }

  /** Returns the backend under test, as the rest of the process uses it. */
  public static Backend backend() {
    return BackendRegistry.get(BackendRegistry.configured());
  }

  /**
   * Returns a backend that is not on the class path: each backend's module has its own and no
   * other.
   */
  public static String missingBackend() {
    return BackendRegistry.configured().equals("jni") ? "ffm" : "jni";
  }

  /**
   * Returns the calls of the backend under test; aborts a test on the one that makes none itself,
   * whose answers differ from the kernel's.
   */
  public static SystemCalls nativeCalls() {
    SystemCalls posix = backend().calls();
    if (posix.name().equals("channel")) {
      Assumptions.abort("the channel backend makes no system calls of its own");
    }
    return posix;
  }

  /** Aborts a test where the file system of {@code file} has no {@code O_DIRECT}. */
  public static void assumeDirectIo(Path file) {
    int fd = nativeCalls().open(file, OpenMode.READ_DIRECT);
    Assumptions.assumeFalse(fd == -Errno.EINVAL, "no O_DIRECT on the file system of " + file);
    nativeCalls().close(fd);
  }

  /** Returns {@code O_DIRECT} of this processor, among {@link #openFlags}. */
  public static int directFlag() {
    return System.getProperty("os.arch").equals("aarch64") ? 0200000 : 040000;
  }

  /**
   * Returns the flags an open file of this process has, as the kernel tells them.
   *
   * @param descriptor below {@code /proc/self/fd}, or just its name
   */
  public static int openFlags(Path descriptor) throws IOException {
    Path info = Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName());
    for (String line : Files.readAllLines(info)) {
      if (line.startsWith("flags:")) {
        return Integer.parseInt(line.substring("flags:".length()).trim(), 8);
      }
    }
    throw new IOException("no flags in " + info);
  }

  /** Returns the backend under test behind a fresh {@link FaultSystemCalls}. */
  public static FaultSystemCalls faults() {
    return new FaultSystemCalls(backend().calls());
  }

  /** Returns a directory on a backend of the test's own, whose open files only this test counts. */
  public static PreadDirectory directory(Path path, PreadConfig config, Backend backend)
      throws IOException {
    return directory(path, config, config.cache() == null ? NO_CACHE : config.cache(), backend);
  }

  /** Does what {@link #directory(Path, PreadConfig, Backend)} does, with this cache. */
  public static PreadDirectory directory(
      Path path, PreadConfig config, BlockCache cache, Backend backend) throws IOException {
    return new PreadDirectory(path, FSLockFactory.getDefault(), with(config, cache), backend);
  }

  /** Does what {@link #directory(Path, PreadConfig, BlockCache, Backend)} does, for direct I/O. */
  public static DirectPreadDirectory direct(
      Path path, PreadConfig config, BlockCache cache, Backend backend) throws IOException {
    return new DirectPreadDirectory(path, FSLockFactory.getDefault(), with(config, cache), backend);
  }

  /**
   * Lets a directory notice that it has to fall back, where it has to. Its first large output
   * vanishes for a moment then, which tests that list files meanwhile would see.
   */
  public static <D extends Directory> D settle(D directory) throws IOException {
    String name;
    try (IndexOutput output = directory.createTempOutput("settle", "", MERGE)) {
      name = output.getName();
    }
    directory.deleteFile(name);
    return directory;
  }

  private static PreadConfig with(PreadConfig config, BlockCache cache) {
    return config.toBuilder().cache(cache).build();
  }

  /** Waits for something to happen, or fails. */
  public static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("in vain: " + what);
      }
      LockSupport.parkNanos(1000);
    }
  }

  /** Waits until {@code waits}, a counter, is at least {@code count}. */
  public static void awaitCount(LongSupplier waits, int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (waits.getAsLong() < count) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("nobody waits");
      }
      Thread.onSpinWait();
    }
  }

  /** Returns a cache with blocks of any size, also smaller than users may have. */
  public static BlockCache tinyCache(int blocks, int blockBits) {
    return new BlockCache((long) blocks << blockBits, blockBits, new BackendMemory(backend()));
  }

  /**
   * Does what {@link #tinyCache(int, int)} does, in chunks of so many blocks: no file has more in
   * one piece.
   */
  public static BlockCache tinyCache(int blocks, int blockBits, int chunkBlocks) {
    int bytes = chunkBlocks << blockBits;
    MemorySource memory = new SmallPages(new BackendMemory(backend()), bytes, bytes);
    return new BlockCache((long) blocks << blockBits, blockBits, memory);
  }

  /**
   * Does what {@link #tinyCache(int, int)} does, with memory that is given back by so many blocks.
   */
  public static BlockCache shrinkableCache(int blocks, int blockBits, int pageBlocks) {
    MemorySource whole = new BackendMemory(backend());
    MemorySource memory = new SmallPages(whole, whole.chunkBytes(), pageBlocks << blockBits);
    return new BlockCache((long) blocks << blockBits, blockBits, memory);
  }

  /**
   * Sets how much memory a cache may have, as the governor does.
   *
   * @return how many bytes have been given back
   */
  public static long resize(BlockCache cache, long bytes, boolean isUrgent) {
    return cache.slots().resize(bytes, isUrgent);
  }

  private record SmallPages(MemorySource source, int chunkBytes, int pageBytes)
      implements MemorySource {

    @Override
    public ByteBuffer allocate(int bytes) {
      return source.allocate(bytes);
    }

    @Override
    public void discard(ByteBuffer memory) {
      source.discard(memory);
    }

    @Override
    public void populate(ByteBuffer memory) {
      source.populate(memory);
    }
  }

  /**
   * Has blocks read past the page cache, as {@link dev.pread.memory.MemoryGovernor} does.
   *
   * @param share which part of the blocks is left to the page cache all the same
   */
  public static void beShortOfMemory(BlockCache cache, double share) {
    cache.slots().setPageCacheShare(share);
    cache.slots().setShortOfMemory(true);
  }

  /**
   * Checks that no slot of a cache is lost, or there twice: all files that were read through it are
   * closed, and nobody is using it.
   */
  public static void checkAllSlotsCanBeHad(BlockCache cache) throws IOException {
    CacheCheck.allSlotsCanBeHad(cache.slots());
  }

  /**
   * Ends what queues are reading ahead, which otherwise shows in the figures when somebody happens
   * to come across it.
   */
  public static void settle(BlockCache cache) {
    CacheCheck.settle(cache.slots());
  }

  /** Waits until no thread of a cache reads ahead any more, which nobody else waits for. */
  public static void awaitIdleThreads(BlockCache cache) {
    CacheCheck.awaitIdleThreads(cache.slots());
  }

  /**
   * Does what {@link #directory(Path, PreadConfig, Backend)} does, with the default configuration.
   */
  public static PreadDirectory directory(Path path, Backend backend) throws IOException {
    return directory(path, PreadConfig.DEFAULT, backend);
  }

  /**
   * Checks that a message names all of these: numbers, paths, calls, settings, errors. How it is
   * worded is not compared.
   */
  public static void assertNames(String message, Object... all) {
    for (Object one : all) {
      String word = "(?<!\\w)" + Pattern.quote(one.toString()) + "(?!\\w)";
      Assertions.assertTrue(Pattern.compile(word).matcher(message).find(), one + ": " + message);
    }
  }

  /** Does what {@link #assertNames(String, Object...)} does, for the message of an exception. */
  public static void assertNames(Throwable thrown, Object... all) {
    assertNames(thrown.getMessage(), all);
  }

  /** Returns what the log of a class is told meanwhile, each as its level and message. */
  public static List<String> logged(Class<?> of, Executable action) {
    Logger logger = Logger.getLogger(of.getName());
    List<String> logged = new ArrayList<>();
    Filter filter = logger.getFilter();
    logger.setFilter(
        line -> {
          logged.add(line.getLevel() + ": " + line.getMessage());
          return false;
        });
    try {
      Assertions.assertDoesNotThrow(action);
    } finally {
      logger.setFilter(filter);
    }
    return logged;
  }

  /** Returns the same bytes for the same seed. */
  public static byte[] randomBytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /**
   * Returns how many descriptors of this process refer to files in {@code folder}, deleted ones
   * included; always 0 where there is no {@code /proc} to tell.
   */
  public static long descriptorsIn(Path folder) throws IOException {
    Path proc = Path.of("/proc/self/fd");
    if (!Files.isDirectory(proc)) {
      return 0;
    }
    String prefix = folder.toRealPath() + "/";
    long count = 0;
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(proc)) {
      for (Path descriptor : descriptors) {
        String target;
        try {
          target = Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
          // Another thread of the JVM's, or the one this listing itself has open.
          target = "";
        }
        if (target.startsWith(prefix)) {
          count++;
        }
      }
    }
    return count;
  }

  /**
   * Runs {@code body} in several threads that start together, waits for all of them, and throws
   * what one of them threw.
   */
  public static void inThreads(int threads, ThreadBody body) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (AutoCloseable end = () -> stop(executor)) {
      assert end != null;
      CountDownLatch ready = new CountDownLatch(threads);
      ExecutorCompletionService<Void> ended = new ExecutorCompletionService<>(executor);
      List<Future<Void>> started = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        started.add(
            ended.submit(
                () -> {
                  ready.countDown();
                  await(ready);
                  body.run(thread);
                  return null;
                }));
      }
      // They are taken as they end, so that the first failure is told while others wait for the one
      // that failed.
      for (int i = 0; i < started.size(); i++) {
        get(ended.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
      }
    }
  }

  private static void stop(ExecutorService executor) throws InterruptedException {
    executor.shutdownNow();
    if (!executor.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("threads still run after " + TIMEOUT_SECONDS + " s");
    }
  }

  /** Waits for {@code latch}, or fails. */
  public static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("waited " + TIMEOUT_SECONDS + " s in vain");
    }
  }

  /** Does the same where nothing that is checked may be thrown. */
  public static void awaitQuietly(CountDownLatch latch) {
    try {
      await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void get(Future<Void> result) throws Exception {
    if (result == null) {
      throw new AssertionError("waited " + TIMEOUT_SECONDS + " s for threads in vain");
    }
    try {
      result.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof Exception exception) {
        throw exception;
      }
      throw new AssertionError(cause);
    }
  }
}
