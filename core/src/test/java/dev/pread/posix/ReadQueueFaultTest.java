/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a queue does when its calls fail, or do less than they were asked to. */
@Timeout(120)
class ReadQueueFaultTest {

  private static final int PAGE = 4096;
  private static final int PAGES = 20;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The calls, in the order in which a queue needs them. */
  private static final List<String> CALLS = List.of("ioSetup", "ioSubmit", "ioGetEvents");

  @TempDir Path folder;

  private final SystemCalls real = Fixtures.nativeCalls();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private final Map<String, Fault> faults = new ConcurrentHashMap<>();
  private byte[] content;
  private Path path;

  /** Answers the {@code number}-th call, or returns null to have it made; may change arguments. */
  @FunctionalInterface
  interface Fault {
    Integer answer(int number, Object[] arguments);
  }

  private final SystemCalls calls =
      (SystemCalls)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {SystemCalls.class},
              (proxy, method, arguments) -> {
                int number =
                    counts
                        .computeIfAbsent(method.getName(), name -> new AtomicInteger())
                        .incrementAndGet();
                Fault fault = faults.get(method.getName());
                Integer answer = fault == null ? null : fault.answer(number, arguments);
                if (answer != null) {
                  return method.getReturnType() == long.class
                      ? (Object) answer.longValue()
                      : answer;
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private final Backend backend = new Backend(calls);

  @BeforeEach
  void writeFile() throws IOException {
    content = Fixtures.randomBytes(7, PAGES * PAGE);
    path = Files.write(folder.resolve("f"), content);
    Fixtures.assumeDirectIo(path);
    try {
      ReadQueue.open(calls, 1).close();
    } catch (IOException e) {
      Assumptions.abort(e.getMessage());
    }
    counts.clear();
  }

  private int count(String call) {
    return counts.getOrDefault(call, new AtomicInteger()).get();
  }

  private class PageRead extends QueuedRead {

    private final int page;
    private final ByteBuffer bytes;
    volatile Long result;

    PageRead(int page) {
      this(page, calls.allocate(PAGE, PAGE).bytes(), calls.newVector(1));
    }

    private PageRead(int page, ByteBuffer bytes, IoVector vector) {
      super(vector);
      this.page = page;
      this.bytes = bytes;
      vector.add(bytes, 0, PAGE);
    }

    @Override
    protected void ended(long answer) {
      assertEquals(null, result, "it ends once");
      result = answer;
    }

    void check() {
      assertEquals((long) PAGE, result);
      assertEquals(ByteBuffer.wrap(content, page * PAGE, PAGE).slice(), bytes);
    }
  }

  private List<PageRead> offer(PosixFile file, ReadQueue queue, int count) {
    List<PageRead> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PageRead read = new PageRead(i);
      assertTrue(file.offer(queue, read, (long) i * PAGE));
      reads.add(read);
    }
    return reads;
  }

  private static void await(ReadQueue queue, PageRead read) {
    while (read.result == null) {
      int ignored = queue.reap(TIMEOUT_NANOS);
    }
  }

  @Test
  void whatASandboxForbidsIsToldWithItsRemedyAndLeavesNothingBehind() {
    for (int errno : new int[] {Errno.EPERM, Errno.ENOSYS}) {
      for (String call : CALLS) {
        counts.clear();
        faults.clear();
        faults.put(call, (number, arguments) -> -errno);
        IOException e = assertThrows(IOException.class, () -> ReadQueue.open(calls, 8));
        String message = e.getMessage();
        String name = call.replace("io", "io_").toLowerCase(Locale.ROOT);
        assertTrue(message.startsWith(name), message);
        assertTrue(message.contains(Errno.describe(errno)), message);
        Fixtures.assertNames(message, "io_setup", "io_submit", "io_getevents");
        assertFalse(message.contains("\n"), message);
        assertEquals(call.equals("ioSetup") ? 0 : 1, count("ioDestroy"), call);
      }
    }
  }

  @Test
  void aQueueThatThereIsNoMemoryForLeavesNothingBehind() throws IOException {
    OutOfMemoryError thrown = new OutOfMemoryError("by script");
    ReadQueue.open(calls, 8).close();
    int allocations = count("allocate");
    for (int failing = 1; failing <= allocations; failing++) {
      counts.clear();
      int last = failing;
      faults.put(
          "allocate",
          (number, arguments) -> {
            if (number == last) {
              throw thrown;
            }
            return null;
          });
      assertSame(thrown, assertThrows(OutOfMemoryError.class, () -> ReadQueue.open(calls, 8)));
      assertEquals(last, count("allocate"));
      assertEquals(count("ioSetup"), count("ioDestroy"), "allocation " + last);
    }
  }

  /** The limit is the system's: to use it up would take the queues of tests that run meanwhile. */
  @Test
  void whereTheSystemHasNoMoreRoomTheLimitIsNamed() throws IOException {
    faults.put("ioSetup", (number, arguments) -> -Errno.EAGAIN);
    IOException refusal = assertThrows(IOException.class, () -> ReadQueue.open(calls, 8));
    Fixtures.assertNames(refusal.getMessage(), "io_setup", "EAGAIN", "fs.aio-max-nr");
    faults.clear();
    ReadQueue.open(calls, 8).close();
  }

  @Test
  void callsThatTakeFewerReadsThanTheyWereGivenAreRepeated() throws IOException {
    try (ReadQueue queue = ReadQueue.open(calls, 16);
        PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      faults.put(
          "ioSubmit",
          (number, arguments) -> {
            arguments[3] = Math.min(2, (int) arguments[3]);
            return null;
          });
      faults.put(
          "ioGetEvents",
          (number, arguments) -> {
            arguments[2] = 1;
            return number % 3 == 0 ? -Errno.EINTR : null;
          });
      List<PageRead> reads = offer(file, queue, 7);
      counts.clear();
      queue.submit();
      assertEquals(4, count("ioSubmit"));
      reads.forEach(read -> await(queue, read));
      reads.forEach(PageRead::check);
      assertEquals(0, queue.underWay());
    }
    assertEquals(0, backend.openFiles());
  }

  @Test
  void aReadThatTheKernelHasNoRoomForEndsAloneWithThat() throws IOException {
    for (int answer : new int[] {-Errno.EAGAIN, 0}) {
      try (ReadQueue queue = ReadQueue.open(calls, 16);
          PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
        List<PageRead> reads = offer(file, queue, 5);
        counts.clear();
        faults.put(
            "ioSubmit",
            (number, arguments) -> {
              if (number == 1) {
                arguments[3] = 2;
              }
              return number == 2 ? (Integer) answer : null;
            });
        queue.submit();
        assertEquals((long) -Errno.EAGAIN, reads.remove(2).result);
        reads.forEach(read -> await(queue, read));
        reads.forEach(PageRead::check);
        faults.clear();
      }
    }
    assertEquals(0, backend.openFiles());
  }

  /** A read without memory makes an error in the middle of an offer. */
  @Test
  void anErrorWhileAReadIsOfferedLeavesItsMemoryToTheCallerAndHoldsNobodyUp() throws IOException {
    QueuedRead broken =
        new QueuedRead(null) {
          @Override
          protected void ended(long result) {
            throw new AssertionError("it was never accepted");
          }
        };
    try (ReadQueue queue = ReadQueue.open(calls, 4);
        PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      for (int i = 0; i < 3; i++) {
        assertThrows(NullPointerException.class, () -> file.offer(queue, broken, 0));
        assertFalse(broken.isAccepted());
      }
      assertTimeoutPreemptively(Duration.ofSeconds(60), queue::submit);
      assertEquals(0, queue.waiting());
      List<PageRead> reads = offer(file, queue, 4);
      assertEquals(4, queue.waiting());
      queue.submit();
      reads.forEach(read -> await(queue, read));
      reads.forEach(PageRead::check);
      assertEquals(0, queue.waiting() + queue.underWay());
      assertThrows(NullPointerException.class, () -> file.offer(queue, broken, 0));
    }
    assertEquals(0, backend.openFiles());
  }

  /** The descriptor of a file that has been closed goes with the last of its reads that begins. */
  @Test
  void whatHasBegunNeverBeginsAgainWhateverIsThrown() throws IOException {
    OutOfMemoryError thrown = new OutOfMemoryError("by script");
    for (boolean refused : new boolean[] {false, true}) {
      List<Long> begun = new ArrayList<>();
      counts.clear();
      faults.put(
          "ioSubmit",
          (number, arguments) -> {
            NativeBuffer requests = (NativeBuffer) arguments[1];
            if (refused && number == 2) {
              return -Errno.EBADF;
            }
            int count = (int) arguments[3];
            for (int i = 0; i < count && number > 1; i++) {
              long address = requests.bytes().getLong((int) arguments[2] + i * Long.BYTES);
              int at = Math.toIntExact(address - requests.address(0));
              begun.add(requests.bytes().getLong(at + AioLayout.IOCB_DATA));
            }
            return null;
          });
      try (ReadQueue queue = ReadQueue.open(calls, 16)) {
        PosixFile closed = backend.open(path, OpenMode.READ_DIRECT);
        List<PageRead> reads = offer(closed, queue, 1);
        closed.close();
        PosixFile file = backend.open(path, OpenMode.READ_DIRECT);
        reads.addAll(offer(file, queue, 4));
        faults.put(
            "close",
            (number, arguments) -> {
              faults.remove("close");
              int ignored = real.close((int) arguments[0]);
              throw thrown;
            });
        assertSame(thrown, assertThrows(OutOfMemoryError.class, queue::submit));
        assertEquals(refused ? (Long) (long) -Errno.EBADF : null, reads.get(0).result);
        queue.submit();
        assertEquals(0, queue.waiting());
        file.close();
        assertEquals(0, backend.openFiles());
        assertEquals(refused ? List.of(2L, 3L, 4L, 5L) : List.of(1L, 2L, 3L, 4L, 5L), begun);
        for (PageRead read : reads.subList(refused ? 1 : 0, reads.size())) {
          await(queue, read);
          read.check();
        }
        assertEquals(0, queue.underWay());
      }
      faults.clear();
    }
  }

  @Test
  void whatMayHaveBegunNeverBeginsAgain() throws IOException {
    AssertionError thrown = new AssertionError("by script");
    PosixFile file = backend.open(path, OpenMode.READ_DIRECT);
    List<PageRead> reads;
    try (ReadQueue queue = ReadQueue.open(calls, 16)) {
      reads = offer(file, queue, 5);
      counts.clear();
      faults.put(
          "ioSubmit",
          (number, arguments) -> {
            int ignored =
                real.ioSubmit(
                    (long) arguments[0], (NativeBuffer) arguments[1], (int) arguments[2], 2);
            throw thrown;
          });
      assertSame(thrown, assertThrows(AssertionError.class, queue::submit));
      queue.submit();
      assertEquals(1, count("ioSubmit"));
      assertEquals(0, queue.waiting());
      reads.subList(0, 2).forEach(read -> await(queue, read));
      reads.subList(0, 2).forEach(PageRead::check);
      assertEquals(3, queue.underWay(), "nobody knows");
      faults.clear();
    }
    for (PageRead read : reads.subList(2, 5)) {
      assertEquals((long) -Errno.EIO, read.result);
    }
    file.close();
    assertEquals(0, backend.openFiles());
  }

  /**
   * The error is thrown in the calls of a close, or in what it tells: all else goes on as if
   * nothing had happened.
   */
  @Test
  void anErrorWhileAQueueIsClosedLosesNothing() throws IOException {
    AssertionError thrown = new AssertionError("by script");
    for (String where : List.of("ioSubmit", "ioGetEvents", "ended", "everywhere")) {
      PosixFile file = backend.open(path, OpenMode.READ_DIRECT);
      ReadQueue queue = ReadQueue.open(calls, 16);
      List<PageRead> reads = offer(file, queue, 2);
      queue.submit();
      PageRead failing =
          new PageRead(2) {
            @Override
            protected void ended(long answer) {
              super.ended(answer);
              if (where.startsWith("e")) {
                throw thrown;
              }
            }
          };
      assertTrue(file.offer(queue, failing, 2L * PAGE));
      reads.add(failing);
      reads.addAll(offer(file, queue, 3));
      file.close();
      // Where no events are told, the kernel has waited for the reads.
      Fault throwing =
          (number, arguments) -> {
            throw thrown;
          };
      faults.put("ioGetEvents", where.equals("ioGetEvents") ? throwing : (n, arguments) -> 0);
      if (where.equals("ioSubmit") || where.equals("everywhere")) {
        faults.put("ioSubmit", throwing);
      }
      assertSame(thrown, assertThrows(AssertionError.class, queue::close));
      for (PageRead read : reads) {
        assertTrue(read.result != null, where);
      }
      assertEquals(0, queue.waiting() + queue.underWay(), where);
      assertEquals(0, backend.openFiles(), where);
      faults.clear();
      queue.close();
    }
  }

  /** What was used up may have been given back. */
  @Test
  void aQueueThatWasRefusedIsAskedForAgainAfterAMinute() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    Backend ours = TimedBackend.of(calls, now::get);
    faults.put("ioSetup", (number, arguments) -> -Errno.EAGAIN);
    assertNull(ours.openQueue(1));
    assertEquals("threads", ours.readAheadEngine());
    faults.clear();
    now.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
    assertNull(ours.openQueue(1));
    assertEquals("threads", ours.readAheadEngine());
    assertEquals(1, count("ioSetup"));
    now.incrementAndGet();
    ReadQueue queue = ours.openQueue(1);
    assertNotNull(queue);
    queue.close();
    assertEquals("aio", ours.readAheadEngine());
    assertEquals(2, count("ioSetup"));
  }

  /** A device's error, which can't be had here at will, comes with the event. */
  @Test
  void anErrorOfTheDeviceIsThatReadsAlone() throws IOException {
    try (ReadQueue queue = ReadQueue.open(calls, 16);
        PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      List<PageRead> reads = offer(file, queue, 4);
      queue.submit();
      faults.put(
          "ioGetEvents",
          (number, arguments) -> {
            NativeBuffer events = (NativeBuffer) arguments[3];
            int n =
                real.ioGetEvents(
                    (long) arguments[0], (int) arguments[1], 16, events, (int) arguments[4]);
            for (int i = 0; i < n; i++) {
              int at = i * AioLayout.EVENT_SIZE;
              if (events.bytes().getLong(at + AioLayout.EVENT_DATA) == numberOf(2)) {
                events.bytes().putLong(at + AioLayout.EVENT_RESULT, -Errno.EIO);
              }
            }
            return n;
          });
      reads.forEach(read -> await(queue, read));
      assertEquals((long) -Errno.EIO, reads.remove(2).result);
      reads.forEach(PageRead::check);
      faults.clear();
    }
  }

  /** Returns the number of a read: they begin with 1, in the order in which reads are offered. */
  private static long numberOf(int read) {
    return read + 1L;
  }

  @Test
  void aCloseThatIsNotToldOfEventsWaitsForTheKernelAllTheSame() throws IOException {
    List<PageRead> reads;
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      ReadQueue queue = ReadQueue.open(calls, 4);
      reads = offer(file, queue, 4);
      faults.put("ioGetEvents", (number, arguments) -> -Errno.EPERM);
      queue.submit();
      queue.close();
      assertEquals(1, count("ioDestroy"));
    }
    for (PageRead read : reads) {
      assertEquals((long) -Errno.EIO, read.result);
    }
    assertEquals(0, backend.openFiles());
  }

  /** The memory is nobody else's before the kernel has said that the device has done with it. */
  @Test
  void eventsThatAreLostDoNotHoldUpACloseThatWaitsForTheKernel() throws IOException {
    AtomicInteger destroyed = new AtomicInteger();
    faults.put(
        "ioDestroy",
        (number, arguments) -> {
          int answer = real.ioDestroy((long) arguments[0]);
          destroyed.incrementAndGet();
          return answer;
        });
    List<Integer> endedAfter = new ArrayList<>();
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      ReadQueue queue = ReadQueue.open(calls, 4);
      for (int page = 0; page < 3; page++) {
        PageRead read =
            new PageRead(page) {
              @Override
              protected void ended(long answer) {
                super.ended(answer);
                assertEquals((long) -Errno.EIO, answer);
                endedAfter.add(destroyed.get());
              }
            };
        assertTrue(file.offer(queue, read, (long) page * PAGE));
      }
      queue.submit();
      faults.put("ioGetEvents", (number, arguments) -> 0);
      queue.close();
      assertEquals(List.of(1, 1, 1), endedAfter);
      assertEquals(0, queue.underWay());
      counts.clear();
      assertEquals(0, queue.reap(TIMEOUT_NANOS));
      queue.submit();
      queue.close();
      assertEquals(Map.of(), counts, "no call is made of a context that is gone");
    }
    assertEquals(0, backend.openFiles());
  }

  @Test
  void whatTheKernelDoesNotWaitForNeverEnds() throws IOException {
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      ReadQueue queue = ReadQueue.open(calls, 4);
      List<PageRead> reads = offer(file, queue, 3);
      queue.submit();
      faults.put("ioGetEvents", (number, arguments) -> 0);
      faults.put(
          "ioDestroy",
          (number, arguments) -> {
            int ignored = real.ioDestroy((long) arguments[0]);
            return -Errno.EPERM;
          });
      queue.close();
      for (PageRead read : reads) {
        assertEquals(null, read.result);
      }
    }
    assertEquals(0, backend.openFiles());
  }

  @Test
  void aQueueThatIsForgottenIsDestroyedWithItsReads() throws Exception {
    forget();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (count("ioDestroy") == 0) {
      assertTrue(System.nanoTime() - deadline < 0, "it is still there");
      System.gc();
      Thread.sleep(5);
    }
  }

  private void forget() throws IOException {
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      ReadQueue queue = ReadQueue.open(calls, 4);
      List<PageRead> reads = offer(file, queue, 3);
      queue.submit();
      assertEquals(3, queue.underWay(), "" + reads);
    }
  }
}
