/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.NativeMemory;
import dev.pread.posix.Backend;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real file that a queue reads ahead into a full cache. What a test leaves behind is found after
 * it.
 */
@Timeout(120)
abstract class QueuedPrefetchTestCase {

  static final int BITS = 12;
  static final int BLOCK = 1 << BITS;
  static final int BLOCKS = 1000;
  static final int PAGE_BYTES = 16 * BLOCK;
  static final int SLOTS = 256;

  @TempDir Path folder;

  final SystemCalls calls = Fixtures.nativeCalls();
  final Backend backend = new Backend(calls);
  final SlotCache cache = new SlotCache(SLOTS * BLOCK, BITS, memory());

  /** How often it was asked whether reads have ended. The first time is when the queue is tried. */
  final AtomicInteger asked = new AtomicInteger();

  byte[] content;
  Path path;
  PosixFile source;
  CachedFile file;

  NativeMemory memory() {
    return new NativeMemory(calls, SLOTS * BLOCK, PAGE_BYTES);
  }

  @BeforeEach
  void open() throws IOException {
    content = Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK - 100);
    path = Files.write(folder.resolve("f"), content);
    Fixtures.assumeDirectIo(path);
    source = backend.open(path, OpenMode.READ_DIRECT);
    file = cache.files().open(null, "f", content.length);
    ReadQueue queue = source.openQueue(1);
    Assumptions.assumeTrue(queue != null, "no asynchronous reads here");
    queue.close();
    // This leaves no slot free, so that a read brings in what is asked for and nothing around it.
    for (int block = BLOCKS - SLOTS - 20; block < BLOCKS; block++) {
      check(file, block, source);
    }
  }

  @AfterEach
  void nothingIsLost() throws IOException {
    if (file == null) {
      // There is no direct I/O here.
      return;
    }
    file.close();
    source.close();
    CacheCheck.settle(cache);
    assertEquals(0, backend.openFiles());
    if (!cache.isClosed()) {
      assertEquals(0, cache.counters().sum(Counter.WAIT_TIMEOUTS));
      CacheCheck.allSlotsCanBeHad(cache);
    }
  }

  /** Reads a block as readers do, and compares it. */
  void check(CachedFile of, int block, PosixFile from) throws IOException {
    byte[] read = new byte[of.bytesIn(block)];
    long position = (long) block << BITS;
    int done = of.copy(position, read, 0, read.length);
    while (done < read.length && of.load(block, 1, from) != null) {
      done = of.copy(position, read, 0, read.length);
    }
    if (done == read.length) {
      int start = (int) position;
      assertArrayEquals(Arrays.copyOfRange(content, start, start + read.length), read);
    }
  }

  void prefetch(int block, int count) {
    file.prefetch((long) block << BITS, (long) count << BITS, source);
  }

  /**
   * Returns calls with which a thread that asks without waiting learns of at least so many reads
   * that they have ended, or of none.
   */
  SystemCalls callsWithEvents(int least) {
    return ScriptedCalls.of(
        calls,
        (name, arguments) -> {
          boolean isTold = name.equals("ioGetEvents");
          if (isTold && asked.getAndIncrement() > 0 && arguments[1].equals(0)) {
            if (least == 0) {
              return 0;
            }
            arguments[1] = least;
            waitLong(arguments);
          }
          return null;
        });
  }

  /** Has a call of {@code ioGetEvents} wait until there are so many, however slow the device is. */
  static void waitLong(Object[] arguments) {
    NativeBuffer events = (NativeBuffer) arguments[3];
    events.bytes().putLong((int) arguments[4], 60);
  }
}
