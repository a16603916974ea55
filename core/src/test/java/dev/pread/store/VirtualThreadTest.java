/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.PlatformThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads that wait for the disk keep no carrier. */
class VirtualThreadTest extends BackendTestCase {

  /** More threads than carriers. */
  private static final int THREADS = Runtime.getRuntime().availableProcessors() + 2;

  /** So far apart that no read brings in what another one wants. */
  private static final int DISTANCE = 256 << 10;

  private static final int BLOCK_BITS = 12;
  private static final int LENGTH = 100;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, THREADS * DISTANCE);

  private BlockCache cache(boolean hasCache) {
    return hasCache ? Fixtures.tinyCache(256 * THREADS, BLOCK_BITS) : new BlockCache(0);
  }

  /** Opens a file of which nothing is resident, as far as the kernel tells. */
  private PreadDirectory open(BlockCache cache) throws IOException {
    Files.write(folder.resolve("data"), data);
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    return Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
  }

  private static byte[] read(IndexInput input, int position) throws IOException {
    byte[] read = new byte[LENGTH];
    IndexInput clone = input.clone();
    clone.seek(position);
    clone.readBytes(read, 0, LENGTH);
    return read;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void moreOfThemReadAtATimeThanThereAreCarriers(boolean hasCache) throws Exception {
    AtomicInteger reading = new AtomicInteger();
    Runnable waitForAll =
        () -> {
          reading.incrementAndGet();
          // Like a call, and unlike other waits, this keeps the carrier of a virtual thread.
          Fixtures.awaitCount(reading::get, THREADS);
        };
    try (BlockCache cache = cache(hasCache);
        PreadDirectory directory = open(cache);
        IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
      faults.on(Function.PREAD).always().first(waitForAll);
      faults.on(Function.PREADV).always().first(waitForAll);
      List<FutureTask<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int position = i * DISTANCE;
        reads.add(new FutureTask<>(() -> read(input, position)));
        Thread.ofVirtual().start(reads.get(i));
      }
      for (int i = 0; i < THREADS; i++) {
        byte[] expected = Arrays.copyOfRange(data, i * DISTANCE, i * DISTANCE + LENGTH);
        assertArrayEquals(expected, reads.get(i).get());
      }
      faults.calm();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailureReachesTheReader(boolean hasCache) throws Exception {
    try (BlockCache cache = cache(hasCache);
        PreadDirectory directory = open(cache);
        IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
      faults.on(Function.PREAD).always().fail(Errno.EIO);
      faults.on(Function.PREADV).always().fail(Errno.EIO);
      Callable<byte[]> read = () -> read(input, DISTANCE);
      Throwable failure =
          assertThrows(ExecutionException.class, () -> onVirtualThread(read)).getCause();
      assertInstanceOf(IOException.class, failure);
      Fixtures.assertNames(failure, "EIO", folder.resolve("data"));
      faults.calm();
    }
  }

  /** It waits for another thread's read, which holds no carrier, and then makes its own. */
  @Test
  void whoeverHasWaitedInVainTakesAnotherThreadToRead() throws Exception {
    List<Boolean> areVirtual = new CopyOnWriteArrayList<>();
    AtomicInteger callers = new AtomicInteger();
    try (BlockCache cache = cache(true);
        PreadDirectory directory = open(cache);
        IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
      CountDownLatch isReading = new CountDownLatch(1);
      LongSupplier fails =
          () -> {
            areVirtual.add(Thread.currentThread().isVirtual());
            if (isReading.getCount() > 0) {
              isReading.countDown();
              Fixtures.awaitCount(() -> cache.stats().waits(), THREADS - 1);
              callers.set(PlatformThreads.callers());
            }
            return -Errno.EIO;
          };
      faults.on(Function.PREAD).always().instead(fails);
      faults.on(Function.PREADV).always().instead(fails);
      List<FutureTask<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        reads.add(new FutureTask<>(() -> read(input, DISTANCE)));
        Thread.ofVirtual().start(reads.get(i));
        Fixtures.await(isReading);
      }
      for (FutureTask<byte[]> read : reads) {
        Throwable failure = assertThrows(ExecutionException.class, read::get).getCause();
        Fixtures.assertNames(failure, "EIO", folder.resolve("data"));
      }
      faults.calm();
    }
    assertEquals(1, callers.get(), "whoever only waits for a block takes none");
    assertEquals(Set.of(false), Set.copyOf(areVirtual));
  }

  /** With more, a block might be gone again before the thread that wants it has its turn. */
  @Test
  void noMoreTakeAnotherThreadThanAQuarterOfTheCacheHasBlocks() throws Exception {
    AtomicInteger reading = new AtomicInteger();
    List<Boolean> areVirtual = new CopyOnWriteArrayList<>();
    Runnable waitForAll =
        () -> {
          areVirtual.add(Thread.currentThread().isVirtual());
          reading.incrementAndGet();
          Fixtures.awaitCount(reading::get, 3);
        };
    // The blocks are so large that a miss reads none around itself.
    try (BlockCache cache = Fixtures.tinyCache(8, 17);
        PreadDirectory directory = open(cache);
        IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
      faults.on(Function.PREAD).always().first(waitForAll);
      faults.on(Function.PREADV).always().first(waitForAll);
      List<FutureTask<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int begun = i + 1;
        int position = i * DISTANCE;
        reads.add(new FutureTask<>(() -> read(input, position)));
        Thread.ofVirtual().start(reads.get(i));
        Fixtures.await("the next read", () -> reading.get() >= begun);
      }
      for (FutureTask<byte[]> read : reads) {
        assertEquals(LENGTH, read.get().length);
      }
      faults.calm();
    }
    assertEquals(List.of(false, false, true), areVirtual);
  }

  /** What is resident takes no other thread: that would cost more than the read. */
  @Test
  void whatIsResidentIsReadByTheThreadItself() throws Exception {
    try (BlockCache cache = cache(true);
        PreadDirectory directory = open(cache);
        IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
      faults.calm();
      faults.on(Function.PREAD_NO_WAIT).always().answer(1);
      List<Boolean> areVirtual = callersOf(Function.PREADV);
      byte[] read = onVirtualThread(() -> read(input, DISTANCE));
      assertArrayEquals(Arrays.copyOfRange(data, DISTANCE, DISTANCE + LENGTH), read);
      assertEquals(List.of(true), areVirtual);
      faults.calm();
    }
  }

  /** With direct I/O, a read waits for all that is read ahead. */
  @Test
  void anotherThreadReadsAhead() throws Exception {
    BlockCache none = cache(false);
    open(none).close();
    faults.simulateDirect(512);
    try (DirectPreadDirectory directory =
            Fixtures.direct(folder, PreadConfig.DEFAULT, none, backend);
        IndexInput input = directory.openInput("data", IOContext.READONCE)) {
      List<Boolean> areVirtual = callersOf(Function.PREAD);
      byte[] read = onVirtualThread(() -> read(input, DISTANCE));
      assertArrayEquals(Arrays.copyOfRange(data, DISTANCE, DISTANCE + LENGTH), read);
      assertEquals(Set.of(false), Set.copyOf(areVirtual));
      faults.calm();
    }
  }

  /** The kernel does not return from a preload before it has read what was asked for. */
  @Test
  void anotherThreadPreloads() throws Exception {
    try (PreadDirectory directory = open(cache(false))) {
      List<Boolean> areVirtual = callersOf(Function.FADVISE);
      onVirtualThread(() -> directory.openInput("data", LuceneCalls.PRELOAD_AT_RANDOM)).close();
      assertTrue(areVirtual.remove(0), "advice waits for nothing");
      assertEquals(Set.of(false), Set.copyOf(areVirtual));
      faults.calm();
    }
  }

  /** Returns a list that tells of each call from now on whether a virtual thread has made it. */
  private List<Boolean> callersOf(Function function) {
    List<Boolean> areVirtual = new CopyOnWriteArrayList<>();
    faults.on(function).always().first(() -> areVirtual.add(Thread.currentThread().isVirtual()));
    return areVirtual;
  }

  private static <T> T onVirtualThread(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread.ofVirtual().start(task);
    return task.get();
  }
}
