/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultPosix;
import dev.pread.posix.FaultPosix.Call;
import dev.pread.posix.FaultPosix.Function;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every call of {@link Scenario} fails once, in every way it can: harmless faults change nothing,
 * others give one clear exception, never a wrong byte, and no descriptor stays open.
 */
class FaultSweepTest {

  private static final List<Integer> ERRORS =
      List.of(Errno.EIO, Errno.ENOSPC, Errno.EMFILE, Errno.ENFILE, Errno.EACCES, Errno.EDQUOT);

  @TempDir Path folder;

  private List<Object> expected;
  private FaultPosix undisturbed;

  @BeforeEach
  void runWithoutFaults() throws Exception {
    Scenario.prepare(folder);
    undisturbed = script(Fixtures.faults());
    expected = new ArrayList<>();
    Backend backend = new Backend(undisturbed);
    Scenario.run(folder, backend, expected);
    Scenario.cleanUp(folder);
    assertEquals(0, backend.openFiles());
  }

  /** Makes the runs alike on all machines and backends: nothing is resident, syncs cost nothing. */
  private static FaultPosix script(FaultPosix faults) {
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    faults.on(Function.FADVISE).always().answer(0);
    faults.on(Function.FDATASYNC).always().answer(0);
    return faults;
  }

  /** Runs with {@code faults}, which has its faulty rules already, and checks what is left. */
  private List<Object> run(FaultPosix faults, String text) throws IOException {
    Backend backend = new Backend(script(faults));
    List<Object> transcript = new ArrayList<>();
    try {
      Scenario.run(folder, backend, transcript);
      assertEquals(expected, transcript, text);
    } finally {
      assertEquals(0, backend.openFiles(), text);
      assertEquals(0, Fixtures.descriptorsIn(folder), text);
      assertEquals(expected.subList(0, transcript.size()), transcript, text);
      long opened = faults.calls(Function.OPEN).stream().filter(c -> c.result() >= 0).count();
      assertEquals(opened, faults.count(Function.CLOSE), text);
      Scenario.cleanUp(folder);
    }
    return transcript;
  }

  /** Runs with {@code faults} and returns the exception it must end with. */
  private IOException fails(FaultPosix faults, String text) {
    return assertThrows(IOException.class, () -> run(faults, text), text);
  }

  @Test
  void theScenarioMakesEveryCallTheDirectoryMakes() {
    Set<Function> unused =
        EnumSet.of(Function.FTRUNCATE, Function.FSYNC, Function.PREADV, Function.DIRECT_ALIGNMENT);
    for (Function function : Function.values()) {
      assertEquals(!unused.contains(function), undisturbed.count(function) > 0, function.name());
    }
    assertTrue(undisturbed.count(Function.PREAD) > 15, "" + undisturbed.count(Function.PREAD));
    assertTrue(undisturbed.count(Function.PWRITE) > 5, "" + undisturbed.count(Function.PWRITE));
    assertTrue(expected.size() > 20);
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"OPEN", "PREAD", "PREAD_NO_WAIT", "PWRITE", "FDATASYNC", "CLOSE", "FADVISE"})
  void interruptedCallsMakeNoDifference(Function function) throws Exception {
    for (long k = 1; k <= undisturbed.count(function); k++) {
      FaultPosix faults = Fixtures.faults();
      faults.on(function).at(k).fail(Errno.EINTR);
      run(faults, "EINTR from " + function + " " + k);
      long repeated = function == Function.CLOSE ? 0 : 1;
      if (function != Function.PREAD_NO_WAIT && function != Function.FADVISE) {
        assertEquals(undisturbed.count(function) + repeated, faults.count(function));
      }
    }
    FaultPosix faults = Fixtures.faults();
    faults.on(function).every(2).fail(Errno.EINTR);
    run(faults, "EINTR from every second " + function);
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD", "PWRITE"})
  void shortCountsMakeNoDifference(Function function) throws Exception {
    for (int count : new int[] {1, 7, 255}) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultPosix faults = Fixtures.faults();
        faults.on(function).at(k).transferAtMost(count);
        run(faults, count + " bytes by " + function + " " + k);
      }
    }
    FaultPosix faults = Fixtures.faults();
    faults.on(function).every(3).fail(Errno.EINTR);
    faults.on(function).always().transferAtMost(11);
    run(faults, "11 bytes by each " + function);
    assertTrue(faults.count(function) > 1000, "" + faults.count(function));
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD_NO_WAIT", "FADVISE"})
  void adviceAndLooksThatFailMakeNoDifference(Function function) throws Exception {
    for (int errno : ERRORS) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultPosix faults = Fixtures.faults();
        faults.on(function).at(k).fail(errno);
        run(faults, Errno.describe(errno) + " from " + function + " " + k);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"OPEN", "FSTAT", "PREAD", "PWRITE", "FDATASYNC", "CLOSE"})
  void aCallThatFailsGivesOneClearException(Function function) throws Exception {
    Map<Integer, Class<? extends IOException>> types =
        Map.of(Errno.EACCES, AccessDeniedException.class);
    for (int errno : ERRORS) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultPosix faults = Fixtures.faults();
        faults.on(function).at(k).fail(errno);
        String text = Errno.describe(errno) + " from " + function + " " + k;
        IOException e = fails(faults, text);
        assertEquals(types.getOrDefault(errno, FileSystemException.class), e.getClass(), text);
        Call call = faults.calls(function).get((int) k - 1);
        String message = e.getMessage();
        assertTrue(message.startsWith(call.path() + ": "), text + ": " + message);
        assertTrue(message.contains(Errno.describe(errno)), text + ": " + message);
        assertTrue(
            message.contains(": " + function.name().toLowerCase(Locale.ROOT)),
            text + ": " + message);
        assertEquals(call.path().toString(), ((FileSystemException) e).getFile(), text);
      }
    }
  }

  @Test
  void aReadThatFindsTheEndTooSoonSaysThatTheFileWasTruncated() {
    for (long k = 1; k <= undisturbed.count(Function.PREAD); k++) {
      FaultPosix faults = Fixtures.faults();
      faults.on(Function.PREAD).at(k).answer(0);
      String text = "0 from PREAD " + k;
      EOFException e = assertInstanceOf(EOFException.class, fails(faults, text), text);
      Path path = faults.calls(Function.PREAD).get((int) k - 1).path();
      assertTrue(e.getMessage().contains("truncated since it was opened"), e.getMessage());
      assertTrue(e.getMessage().endsWith(path.toString()), e.getMessage());
    }
  }

  @Test
  void aReadThatWouldBlockOrIsNonsenseIsAnErrorLikeAnyOther() {
    for (int errno : new int[] {Errno.EAGAIN, Errno.EBADF, Errno.EINVAL, 9999}) {
      for (Function function : List.of(Function.PREAD, Function.PWRITE)) {
        FaultPosix faults = Fixtures.faults();
        faults.on(function).at(2).fail(errno);
        IOException e = fails(faults, function + " " + errno);
        assertTrue(e.getMessage().contains(Errno.describe(errno)), e.getMessage());
      }
    }
  }
}
