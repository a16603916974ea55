/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.NativeMemory;
import dev.pread.posix.Backend;
import dev.pread.posix.NoNativeMemoryError;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
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
 * A real file in a full cache, so that a queue reads its announced pages beside it. What a test
 * leaves behind is found after it.
 */
@Timeout(120)
abstract class AnnouncedPagesTestCase {

  static final int BITS = 14;
  static final int BLOCK = 1 << BITS;
  static final int PAGE = AnnouncedPage.SIZE;
  static final int BLOCKS = 300;
  static final int SLOTS = 64;

  /** How many pages so small a cache has. */
  static final int PAGES = 64;

  @TempDir Path folder;

  final SystemCalls calls = Fixtures.nativeCalls();
  final Backend backend = new Backend(calls);
  final AtomicInteger allocations = new AtomicInteger();

  /** How often memory has been given back. */
  final AtomicInteger discards = new AtomicInteger();

  /** How much memory there is. */
  int allowedAllocations = Integer.MAX_VALUE;

  /** What is thrown where there is no more. */
  OutOfMemoryError refusal = new NoNativeMemoryError("by script");

  final SlotCache cache = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
  byte[] content;
  Path path;
  PosixFile source;
  CachedFile file;

  final class CountedMemory extends NativeMemory {

    CountedMemory() {
      super(calls, SLOTS * BLOCK, 16 * BLOCK);
    }

    @Override
    public ByteBuffer allocate(int bytes) {
      if (allocations.incrementAndGet() > allowedAllocations) {
        throw refusal;
      }
      return super.allocate(bytes);
    }

    @Override
    public void discard(ByteBuffer memory) {
      discards.incrementAndGet();
      super.discard(memory);
    }
  }

  @BeforeEach
  void open() throws IOException {
    content = Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK - 10_000);
    path = Files.write(folder.resolve("f"), content);
    Fixtures.assumeDirectIo(path);
    source = backend.open(path, OpenMode.READ_DIRECT);
    file = cache.files().open(null, "f", content.length);
    ReadQueue queue = source.openQueue(1);
    Assumptions.assumeTrue(queue != null, "no asynchronous reads here");
    queue.close();
    // This leaves no slot free, and no block that has been missed often.
    for (int block = BLOCKS - SLOTS - 30; block < BLOCKS - 20; block++) {
      assertNotNull(file.load(block, 1, source));
    }
  }

  @AfterEach
  void nothingIsLost() throws IOException {
    file.close();
    source.close();
    CacheCheck.settle(cache);
    assertEquals(0, backend.openFiles());
    if (!cache.isClosed()) {
      assertEquals(0, cache.counters().sum(Counter.WAIT_TIMEOUTS));
      CacheCheck.allSlotsCanBeHad(cache);
    }
  }

  void announce(long position, int bytes) {
    file.prefetch(position, bytes, source);
  }

  /** Reads within a page as readers do, and compares. Returns whether the page was there. */
  boolean check(CachedFile of, long position, int bytes) {
    AnnouncedPage page = of.announced(position);
    if (page == null) {
      return false;
    }
    long version = page.acquire();
    if (!page.isIn(version, of, position / PAGE)) {
      return false;
    }
    page.touch();
    byte[] read = new byte[(int) Math.min(bytes, content.length - position)];
    page.chunk().bytes().get(page.offset() + (int) (position % PAGE), read);
    VarHandle.loadLoadFence();
    if (!page.is(version)) {
      return false;
    }
    int start = (int) position;
    assertArrayEquals(Arrays.copyOfRange(content, start, start + read.length), read);
    return true;
  }

  void assertThere(long position, int bytes) {
    assertTrue(check(file, position, bytes), "the page is there");
  }

  /** Returns the position of a page that is in a block of its own, by a number. */
  static long place(int number) {
    return (long) number * BLOCK + number % 4 * (long) PAGE;
  }
}
