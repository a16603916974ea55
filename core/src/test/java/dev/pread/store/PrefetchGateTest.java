/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.PreadDirectory;
import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.nio.file.Files;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when a prefetch becomes a call, with the kernel's answers by script. */
class PrefetchGateTest extends BackendTestCase {

  private static final int LENGTH = 100_000;

  private PosixFile file;
  private PrefetchGate gate;

  @BeforeEach
  void open() throws Exception {
    Files.write(folder.resolve("f"), new byte[LENGTH]);
    file = backend.open(folder.resolve("f"), OpenMode.READ);
    gate = new PrefetchGate(file);
    faults.forget();
  }

  @AfterEach
  void close() throws Exception {
    file.close();
  }

  private void resident() {
    faults.calm();
    faults.on(Function.PREAD_NO_WAIT).always().answer(1);
  }

  private void absent() {
    faults.calm();
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
  }

  private long looks() {
    return faults.count(Function.PREAD_NO_WAIT);
  }

  private void prefetch(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      gate.prefetch(1000, 1);
    }
  }

  @Test
  void whatIsAbsentIsAdvisedEachTime() throws Exception {
    absent();
    for (int i = 0; i < 100; i++) {
      gate.prefetch(i * 100L, 50 + i);
    }
    List<Call> calls = faults.calls(Function.FADVISE);
    assertEquals(100, calls.size());
    for (int i = 0; i < 100; i++) {
      assertEquals(Advice.WILLNEED, calls.get(i).argument());
      assertEquals(i * 100L, calls.get(i).position());
      assertEquals(50 + i, calls.get(i).length());
    }
  }

  @Test
  void whatIsResidentIsNotAdvisedAndSoonOnlySampled() throws Exception {
    resident();
    prefetch(100);
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < 10; i++) {
      faults.forget();
      prefetch(1000);
      least = Math.min(least, looks());
      most = Math.max(most, looks());
      assertEquals(looks(), faults.count(), "no advice");
    }
    assertTrue(most <= 1000 / 10, most + " looks");
    assertTrue(least >= most - 1, "never sparser: " + least + " to " + most);
    assertTrue(least > 0, "it does not stop");
  }

  @Test
  void oneAbsentSampleEndsTheStreak() throws Exception {
    resident();
    prefetch(100);
    absent();
    for (int i = 0; i < 100 && faults.count(Function.FADVISE) == 0; i++) {
      prefetch(1);
    }
    faults.forget();
    prefetch(10);
    assertEquals(10, faults.count(Function.FADVISE));
    assertEquals(10, looks());
    resident();
    faults.forget();
    prefetch(10);
    assertEquals(10, looks(), "a streak must be earned anew");
    prefetch(100);
    faults.forget();
    prefetch(10);
    assertTrue(looks() <= 1, looks() + " looks");
  }

  @Test
  void aFewResidentAreNotAStreak() throws Exception {
    for (int i = 0; i < 20; i++) {
      resident();
      prefetch(10);
      absent();
      prefetch(1);
      assertEquals(i + 1, faults.count(Function.FADVISE));
    }
  }

  @Test
  void whereTheSystemCannotTellEveryCallAdvises() throws Exception {
    for (int errno : new int[] {Errno.ENOSYS, Errno.EOPNOTSUPP, Errno.EIO, Errno.EINTR}) {
      faults.calm();
      faults.forget();
      faults.on(Function.PREAD_NO_WAIT).always().answer(-errno);
      prefetch(100);
      assertEquals(100, faults.count(Function.FADVISE), Errno.describe(errno));
    }
  }

  @Test
  void whereTheProcessMayNotLookItDoesSoOnceForAllItsFiles() throws Exception {
    for (int errno : new int[] {Errno.EPERM, Errno.ENOSYS}) {
      FaultSystemCalls refusing = Fixtures.faults();
      refusing.on(Function.PREAD_NO_WAIT).always().fail(errno);
      Backend sandboxed = new Backend(refusing);
      for (int i = 0; i < 3; i++) {
        try (PosixFile one = sandboxed.open(folder.resolve("f"), OpenMode.READ)) {
          PrefetchGate ofOne = new PrefetchGate(one);
          assertFalse(ofOne.looksCold(), "nobody knows");
          ofOne.prefetch(1000, 1);
          ofOne.prefetch(2000, 1);
        }
      }
      assertEquals(1, refusing.count(Function.PREAD_NO_WAIT), Errno.describe(errno));
      assertEquals(6, refusing.count(Function.FADVISE), Errno.describe(errno));
    }
  }

  @Test
  void whereTheFileSystemCannotTellItIsAskedOncePerFile() throws Exception {
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EOPNOTSUPP);
    prefetch(10);
    assertEquals(1, looks());
    assertEquals(10, faults.count(Function.FADVISE));
  }

  /** Linux 5.9 and 5.10 answer 0 before the end of a file: see the BUGS of preadv2(2). */
  @Test
  void anAnswerOfZeroTellsNothing() throws Exception {
    faults.on(Function.PREAD_NO_WAIT).always().answer(0);
    prefetch(100);
    assertEquals(100, looks(), "the next may tell something");
    assertEquals(100, faults.count(Function.FADVISE));
    assertFalse(gate.looksCold());
  }

  @Test
  void aRangeIsResidentIfBothItsEndsAre() throws Exception {
    faults.on(Function.PREAD_NO_WAIT).at(1).answer(1);
    faults.on(Function.PREAD_NO_WAIT).at(2).fail(Errno.EAGAIN);
    faults.on(Function.PREAD_NO_WAIT).at(3).answer(1);
    faults.on(Function.PREAD_NO_WAIT).at(4).answer(1);
    gate.prefetch(5000, 3000);
    assertEquals(1, faults.count(Function.FADVISE));
    gate.prefetch(5000, 3000);
    assertEquals(1, faults.count(Function.FADVISE));
    assertEquals(
        List.of(5000L, 7999L, 5000L, 7999L),
        faults.calls(Function.PREAD_NO_WAIT).stream().map(Call::position).toList());
    assertTrue(
        faults.calls(Function.PREAD_NO_WAIT).stream().allMatch(c -> c.length() == 1),
        "looks at one byte");
  }

  @Test
  void nothingIsNothing() throws Exception {
    absent();
    gate.prefetch(0, 0);
    gate.prefetch(LENGTH, 0);
    assertEquals(0, faults.count());
  }

  @Test
  void aRefusedAdviceIsNotAnError() throws Exception {
    absent();
    faults.on(Function.FADVISE).always().fail(Errno.EINVAL);
    prefetch(3);
    assertEquals(3, faults.count(Function.FADVISE));
    file.close();
    prefetch(1);
    assertEquals(3, faults.count(Function.FADVISE), "nor is a file that is closed");
  }

  @Test
  void coldMeansThatAllSamplesAreAbsent() throws Exception {
    absent();
    assertTrue(gate.looksCold());
    int samples = (int) looks();
    List<Call> calls = faults.calls(Function.PREAD_NO_WAIT);
    assertTrue(calls.stream().anyMatch(call -> call.position() < LENGTH / 3), "" + calls);
    assertTrue(calls.stream().anyMatch(call -> call.position() > LENGTH * 2 / 3), "" + calls);
    for (int k = 1; k <= samples; k++) {
      for (long answer : new long[] {1, -Errno.EIO}) {
        faults.calm();
        faults.forget();
        faults.on(Function.PREAD_NO_WAIT).at(k).answer(answer);
        faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
        assertFalse(gate.looksCold(), "sample " + k + " answered " + answer);
      }
    }
  }

  @Test
  void anInputPrefetchesAtItsPlaceInTheFileAndSharesWhatItLearned() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend);
        PreadIndexInput master = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT)) {
      PreadIndexInput slice = master.slice("s", 10_000, 50_000).slice("t", 500, 40_000);
      absent();
      slice.prefetch(7, 100);
      Call call = faults.calls(Function.FADVISE).get(0);
      assertEquals(10_507, call.position());
      assertEquals(100, call.length());
      resident();
      faults.forget();
      for (int i = 0; i < 90; i++) {
        // Lucene does it in the same way, with a slice each.
        master.slice("s", i * 1000L, 5000).prefetch(0, 1);
      }
      assertTrue(looks() < 90 / 2, "what one has learned the next knows: " + looks());
    }
  }

  @Test
  void whatTheInputHasBufferedNeedsNoCall() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend);
        PreadIndexInput master = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT)) {
      absent();
      master.seek(5000);
      master.readByte();
      faults.forget();
      long start = 5000 & -directory.config().bufferSize();
      long end = start + directory.config().bufferSize();
      master.prefetch(5001, 10);
      master.prefetch(start, end - start);
      master.prefetch(end - 1, 1);
      master.prefetch(start, 0);
      assertEquals(0, faults.count());
      master.prefetch(end - 1, 2);
      master.prefetch(start - 1, 2);
      master.prefetch(end, 1);
      assertEquals(3, faults.count(Function.FADVISE));
    }
  }
}
