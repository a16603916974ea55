/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a queue promises, with direct reads of a real file by the backend of this run. */
@Timeout(120)
class ReadQueueTest {

  private static final int PAGE = 4096;
  private static final int PAGES = 200;
  private static final int TAIL = 1234;
  private static final int DEPTH = 16;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  @TempDir Path folder;

  private final SystemCalls calls = Fixtures.nativeCalls();
  private final Backend backend = new Backend(calls);
  private final List<ReadQueue> queues = new ArrayList<>();
  private Path path;
  private byte[] content;
  private ReadQueue queue;

  @BeforeEach
  void writeFile() throws IOException {
    content = Fixtures.randomBytes(42, PAGES * PAGE + TAIL);
    path = Files.write(folder.resolve("f"), content);
    Fixtures.assumeDirectIo(path);
    queue = open(calls, DEPTH);
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    for (ReadQueue opened : queues) {
      opened.close();
    }
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private ReadQueue open(SystemCalls of, int depth) throws IOException {
    try {
      ReadQueue opened = ReadQueue.open(of, depth);
      queues.add(opened);
      return opened;
    } catch (IOException e) {
      return Assumptions.abort(e.getMessage());
    }
  }

  /** A read that remembers how it ended. */
  private static class TestRead extends QueuedRead {

    final long position;
    final ByteBuffer bytes;
    volatile Long result;

    TestRead(SystemCalls calls, long position, int length) {
      this(calls, position, calls.allocate(length, PAGE).bytes());
    }

    private TestRead(SystemCalls calls, long position, ByteBuffer bytes) {
      super(vector(calls, bytes));
      this.position = position;
      this.bytes = bytes;
    }

    private static IoVector vector(SystemCalls calls, ByteBuffer bytes) {
      IoVector vector = calls.newVector(4);
      // The second half comes first in memory, so that the pieces don't become one.
      int half = bytes.capacity() / 2 / PAGE * PAGE;
      vector.add(bytes, half, bytes.capacity() - half);
      vector.add(bytes, 0, half);
      return vector;
    }

    @Override
    protected void ended(long answer) {
      assertEquals(null, result, "it ends once");
      result = answer;
    }

    /** Returns the bytes in the order of the file. */
    byte[] read() {
      int half = bytes.capacity() / 2 / PAGE * PAGE;
      byte[] read = new byte[bytes.capacity()];
      bytes.get(half, read, 0, bytes.capacity() - half);
      bytes.get(0, read, bytes.capacity() - half, half);
      return read;
    }
  }

  private void check(TestRead read) {
    int length = (int) Math.min(read.bytes.capacity(), content.length - read.position);
    assertEquals(length, read.result);
    assertArrayEquals(
        Arrays.copyOfRange(content, (int) read.position, (int) read.position + length),
        Arrays.copyOf(read.read(), length));
  }

  /** Who closes a queue does not learn what has been read meanwhile. */
  private void checkClosed(TestRead read) {
    if (!Long.valueOf(-Errno.EIO).equals(read.result)) {
      check(read);
    }
  }

  private TestRead read(long page, int pages) {
    return new TestRead(calls, page * PAGE, pages * PAGE);
  }

  private TestRead offered(PosixFile file, long page, int pages) {
    TestRead read = read(page, pages);
    assertTrue(file.offer(queue, read, read.position), "accepted: " + queue);
    return read;
  }

  private void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      int ignored = queue.reap(TIMEOUT_NANOS);
      assertTrue(System.nanoTime() - deadline < 0, "" + queue);
    }
  }

  private void await(TestRead read) {
    await(() -> read.result != null);
  }

  private PosixFile direct() throws IOException {
    return backend.open(path, OpenMode.READ_DIRECT);
  }

  @Test
  void batchesOfEachSizeBringTheBytesOfEachRead() throws IOException {
    Random random = new Random(Fixtures.SEED);
    try (PosixFile file = direct()) {
      for (int size = 1; size <= DEPTH; size++) {
        List<TestRead> reads = new ArrayList<>();
        for (int i = 0; i < size; i++) {
          reads.add(offered(file, random.nextInt(PAGES), 1 + random.nextInt(5)));
        }
        assertEquals(size, queue.waiting());
        assertEquals(0, queue.underWay());
        queue.submit();
        assertEquals(0, queue.waiting());
        reads.forEach(this::await);
        reads.forEach(this::check);
        assertEquals(0, queue.underWay());
        assertEquals(0, queue.reap(TIMEOUT_NANOS), "there is nothing to wait for");
      }
    }
  }

  @Test
  void aFullQueueRefusesAndLosesNothing() throws IOException {
    try (PosixFile file = direct()) {
      for (boolean submitted : new boolean[] {false, true}) {
        List<TestRead> reads = new ArrayList<>();
        for (int i = 0; i < DEPTH; i++) {
          reads.add(offered(file, i, 1));
        }
        if (submitted) {
          queue.submit();
        }
        // Reads that the device has done are under way until they are reaped.
        TestRead tooMuch = read(99, 1);
        assertFalse(file.offer(queue, tooMuch, tooMuch.position));
        queue.submit();
        reads.forEach(this::await);
        reads.forEach(this::check);
        assertEquals(null, tooMuch.result);
        assertTrue(file.offer(queue, tooMuch, tooMuch.position));
        queue.submit();
        await(tooMuch);
        check(tooMuch);
      }
    }
  }

  @Test
  void aReadThatCanNotBeginEndsAloneWithItsError() throws IOException {
    for (int bad = 0; bad < 4; bad++) {
      try (PosixFile file = direct()) {
        List<TestRead> reads = new ArrayList<>();
        TestRead broken = read(0, 1);
        for (int i = 0; i < 4; i++) {
          if (i == bad) {
            assertTrue(queue.offer(broken, 1 << 20, 0));
          } else {
            reads.add(offered(file, 10L * i, 2));
          }
        }
        queue.submit();
        assertEquals((long) -Errno.EBADF, broken.result, "at once");
        reads.forEach(this::await);
        reads.forEach(this::check);
        assertEquals(0, queue.underWay());
      }
    }
  }

  @Test
  void aReadThatIsNotAlignedEndsAloneWithItsError() throws IOException {
    try (PosixFile file = direct()) {
      TestRead first = offered(file, 3, 1);
      TestRead broken = read(0, 1);
      assertTrue(file.offer(queue, broken, 1));
      TestRead last = offered(file, 5, 1);
      queue.submit();
      for (TestRead read : List.of(first, broken, last)) {
        await(read);
      }
      assertEquals((long) -Errno.EINVAL, broken.result);
      check(first);
      check(last);
    }
  }

  @Test
  void theEndOfTheFileIsAShortRead() throws IOException {
    try (PosixFile file = direct()) {
      TestRead tail = offered(file, PAGES - 1, 4);
      TestRead past = offered(file, PAGES + 1, 1);
      queue.submit();
      await(tail);
      await(past);
      assertEquals((long) PAGE + TAIL, tail.result);
      check(tail);
      assertEquals(0L, past.result);
    }
  }

  @Test
  void aFileMayBeClosedAndItsNameGone() throws IOException {
    PosixFile file = direct();
    TestRead submitted = offered(file, 7, 3);
    queue.submit();
    TestRead waiting = offered(file, 17, 3);
    file.close();
    assertEquals(1, backend.openFiles(), "a descriptor that will be submitted stays");
    Path other = Files.write(folder.resolve("other"), new byte[PAGE * PAGES]);
    Files.delete(path);
    TestRead late = read(0, 1);
    assertFalse(file.offer(queue, late, 0), "closed");
    try (PosixFile opened = backend.open(other, OpenMode.READ_DIRECT)) {
      assertTrue(opened.isOpen());
      queue.submit();
      assertEquals(1, backend.openFiles(), "the kernel has its own reference");
      await(submitted);
      await(waiting);
    }
    check(submitted);
    check(waiting);
  }

  @Test
  void filesOfAnotherKindAreNotForIt() throws IOException {
    TestRead read = read(0, 1);
    try (PosixFile buffered = backend.open(path, OpenMode.READ)) {
      assertFalse(buffered.offer(queue, read, 0), "through the page cache");
    }
    Backend another = new Backend(new FaultSystemCalls(calls));
    try (PosixFile file = another.open(path, OpenMode.READ_DIRECT)) {
      assertFalse(file.offer(queue, read, 0), "of another backend");
    }
    assertEquals(0, queue.waiting());
  }

  @Test
  void closeEndsAllThatWasAccepted() throws IOException {
    try (PosixFile file = direct()) {
      List<TestRead> reads = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        reads.add(offered(file, 20L * i, 5));
      }
      queue.submit();
      for (int i = 5; i < 9; i++) {
        reads.add(offered(file, 20L * i, 5));
      }
      queue.close();
      reads.forEach(this::checkClosed);
      assertEquals(0, queue.underWay());
      assertEquals(0, queue.waiting());
      TestRead late = read(0, 1);
      assertFalse(file.offer(queue, late, 0));
      queue.submit();
      assertEquals(0, queue.reap(TIMEOUT_NANOS));
      queue.close();
      assertEquals(null, late.result);
    }
  }

  @Test
  void manyThreadsShareIt() throws Exception {
    try (PosixFile file = direct()) {
      Fixtures.inThreads(
          8,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            for (int round = 0; round < 300; round++) {
              List<TestRead> reads = new ArrayList<>();
              for (int i = 0; i < 1 + random.nextInt(6); i++) {
                TestRead read = read(random.nextInt(PAGES), 1 + random.nextInt(3));
                if (file.offer(queue, read, read.position)) {
                  reads.add(read);
                }
              }
              queue.submit();
              for (TestRead read : reads) {
                while (read.result == null) {
                  if (queue.reap(TimeUnit.MILLISECONDS.toNanos(50)) == ReadQueue.BUSY) {
                    Thread.onSpinWait();
                  }
                }
                check(read);
              }
            }
          });
    }
    assertEquals(0, queue.underWay());
    assertEquals(0, queue.waiting());
  }

  @Test
  void itIsClosedWhileThreadsUseIt() throws Exception {
    for (int round = 0; round < 50; round++) {
      ReadQueue closing = open(calls, 4);
      AtomicInteger accepted = new AtomicInteger();
      AtomicBoolean closed = new AtomicBoolean();
      ConcurrentLinkedQueue<TestRead> reads = new ConcurrentLinkedQueue<>();
      try (PosixFile file = direct()) {
        Fixtures.inThreads(
            4,
            thread -> {
              if (thread == 0) {
                Fixtures.awaitCount(accepted::get, 20);
                closing.close();
                closed.set(true);
              }
              while (!closed.get()) {
                TestRead read = read(thread, 2);
                if (file.offer(closing, read, read.position)) {
                  accepted.incrementAndGet();
                  reads.add(read);
                  closing.submit();
                }
                int ignored = closing.reap(thread == 1 ? TIMEOUT_NANOS : 0);
              }
            });
      }
      reads.forEach(this::checkClosed);
    }
  }

  @Test
  void whatThrowsWhenItEndsIsTheCallersAndTheOthersEndAllTheSame() throws IOException {
    try (PosixFile file = direct()) {
      List<TestRead> reads = new ArrayList<>();
      StackOverflowError thrown = new StackOverflowError("by script");
      for (int i = 0; i < 6; i++) {
        TestRead read =
            new TestRead(calls, (long) i * PAGE, 2 * PAGE) {
              @Override
              protected void ended(long result) {
                super.ended(result);
                if (position == 2 * PAGE) {
                  throw thrown;
                }
              }
            };
        assertTrue(file.offer(queue, read, read.position));
        reads.add(read);
      }
      queue.submit();
      AtomicInteger errors = new AtomicInteger();
      await(
          () -> {
            try {
              int ignored = queue.reap(TIMEOUT_NANOS);
            } catch (StackOverflowError e) {
              assertSame(thrown, e);
              errors.incrementAndGet();
            }
            return reads.stream().allMatch(read -> read.result != null);
          });
      reads.forEach(this::check);
      assertEquals(1, errors.get());
      assertEquals(0, queue.underWay());
      TestRead next = offered(file, 9, 1);
      queue.submit();
      await(next);
      check(next);
    }
  }

  @Test
  void interruptsAreNeitherNoticedNorCleared() throws IOException {
    try (PosixFile file = direct()) {
      Thread.currentThread().interrupt();
      TestRead read = offered(file, 4, 2);
      queue.submit();
      await(read);
      assertTrue(Thread.interrupted(), "not cleared");
      check(read);
    }
  }

  @Test
  void depthsOutOfRangeAreToldWhatIsAllowed() {
    for (int depth : new int[] {-1, 0, ReadQueue.MAX_DEPTH + 1}) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> ReadQueue.open(calls, depth));
      assertEquals("the depth of a queue is from 1 to 1024, got " + depth, e.getMessage());
    }
  }

  @Test
  void theLargestDepthCanBeUsed() throws IOException {
    queue = open(calls, ReadQueue.MAX_DEPTH);
    try (PosixFile file = direct()) {
      List<TestRead> reads = new ArrayList<>();
      for (int i = 0; i < ReadQueue.MAX_DEPTH; i++) {
        reads.add(offered(file, i % PAGES, 1));
      }
      queue.submit();
      reads.forEach(this::await);
      reads.forEach(this::check);
    }
  }
}
