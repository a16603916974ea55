/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
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
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every call of {@link Scenario} fails once, in every way it can: harmless faults change nothing,
 * others give one clear exception, never a wrong byte, no descriptor stays open, and no slot of the
 * cache is lost.
 */
@ParameterizedClass
@EnumSource(Scenario.Kind.class)
class FaultSweepTest {

  private static final List<Integer> ERRORS =
      List.of(Errno.EIO, Errno.ENOSPC, Errno.EMFILE, Errno.ENFILE, Errno.EACCES, Errno.EDQUOT);

  /** What the call is named in messages, where that is not its own name. */
  private static final Map<Function, String> NAMES = Map.of(Function.DIRECT_ALIGNMENT, "statx");

  @TempDir Path folder;

  @Parameter Scenario.Kind kind;

  private List<Object> expected;
  private FaultSystemCalls undisturbed;

  @BeforeEach
  void runWithoutFaults() throws Exception {
    Scenario.prepare(folder);
    undisturbed = script(kind.faults());
    expected = new ArrayList<>();
    Backend backend = new Backend(undisturbed);
    try (BlockCache cache = kind.cache()) {
      Scenario.run(folder, kind, cache, backend, expected);
    }
    Scenario.cleanUp(folder);
    assertEquals(0, backend.openFiles());
  }

  /** Makes the runs alike on all machines and backends: nothing is resident, syncs cost nothing. */
  private static FaultSystemCalls script(FaultSystemCalls faults) {
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    faults.on(Function.FADVISE).always().answer(0);
    faults.on(Function.FDATASYNC).always().answer(0);
    return faults;
  }

  /** Runs with {@code faults}, which has its faulty rules already, and checks what is left. */
  private List<Object> run(FaultSystemCalls faults, String text) throws IOException {
    Backend backend = new Backend(script(faults));
    List<Object> transcript = new ArrayList<>();
    BlockCache cache = kind.cache();
    try {
      Scenario.run(folder, kind, cache, backend, transcript);
      assertEquals(expected, transcript, text);
    } finally {
      assertEquals(0, backend.openFiles(), text);
      assertEquals(0, Fixtures.descriptorsIn(folder), text);
      assertEquals(expected.subList(0, transcript.size()), transcript, text);
      long opened = faults.calls(Function.OPEN).stream().filter(c -> c.result() >= 0).count();
      assertEquals(opened, faults.count(Function.CLOSE), text);
      if (kind != Scenario.Kind.UNCACHED) {
        Fixtures.checkAllSlotsCanBeHad(cache);
      }
      cache.close();
      Scenario.cleanUp(folder);
    }
    return transcript;
  }

  /** Runs with {@code faults} and returns the exception it must end with. */
  private IOException fails(FaultSystemCalls faults, String text) {
    return assertThrows(IOException.class, () -> run(faults, text), text);
  }

  @Test
  void theScenarioMakesEveryCallTheDirectoryMakes() {
    Set<Function> unused =
        switch (kind) {
          case UNCACHED ->
              EnumSet.of(
                  Function.FTRUNCATE, Function.FSYNC, Function.PREADV, Function.DIRECT_ALIGNMENT);
          case CACHED -> EnumSet.of(Function.FTRUNCATE, Function.FSYNC, Function.DIRECT_ALIGNMENT);
          // What is resident does not matter there.
          case DIRECT -> EnumSet.of(Function.FSYNC, Function.PREAD_NO_WAIT);
        };
    // This has a test of its own, see ArrayReadTest: here every read shall be one of the others.
    unused.add(Function.PREAD_ARRAY);
    for (Function function : Function.values()) {
      assertEquals(!unused.contains(function), undisturbed.count(function) > 0, function.name());
    }
    Function reads = kind == Scenario.Kind.UNCACHED ? Function.PREAD : Function.PREADV;
    assertTrue(undisturbed.count(reads) > 15, "" + undisturbed.count(reads));
    long more = undisturbed.calls(reads).stream().filter(this::readsMore).count();
    assertTrue(more > 0 && more < undisturbed.count(reads), "" + more);
    assertTrue(undisturbed.count(Function.PWRITE) > 5, "" + undisturbed.count(Function.PWRITE));
    assertTrue(expected.size() > 20);
  }

  /**
   * Returns whether a call reads more than is asked for, so that only what is asked for is read if
   * it fails: several blocks of the cache, what is read ahead with direct I/O, or a whole buffer.
   */
  private boolean readsMore(Call call) {
    if (call.function() == Function.PREAD && kind != Scenario.Kind.DIRECT) {
      return call.length() == Scenario.BUFFER_SIZE
          || call.length() == Scenario.SEQUENTIAL_BUFFER_SIZE;
    }
    return (call.function() == Function.PREAD || call.function() == Function.PREADV)
        && call.length() != Scenario.BLOCK_SIZE;
  }

  /**
   * Makes a rule for the {@code k}-th call, and for all that are made instead of it if it fails.
   */
  private static FaultSystemCalls.Then decisive(
      FaultSystemCalls faults, Function function, long k) {
    boolean isRead = function == Function.PREAD || function == Function.PREADV;
    return isRead ? faults.on(function).from(k) : faults.on(function).at(k);
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {
        "OPEN",
        "PREAD",
        "PREADV",
        "PREAD_NO_WAIT",
        "PWRITE",
        "FTRUNCATE",
        "FDATASYNC",
        "CLOSE",
        "FADVISE",
        "DIRECT_ALIGNMENT"
      })
  void interruptedCallsMakeNoDifference(Function function) throws Exception {
    for (long k = 1; k <= undisturbed.count(function); k++) {
      FaultSystemCalls faults = kind.faults();
      faults.on(function).at(k).fail(Errno.EINTR);
      run(faults, "EINTR from " + function + " " + k);
      long repeated = function == Function.CLOSE ? 0 : 1;
      if (function != Function.PREAD_NO_WAIT && function != Function.FADVISE) {
        assertEquals(undisturbed.count(function) + repeated, faults.count(function));
      }
    }
    FaultSystemCalls faults = kind.faults();
    faults.on(function).every(2).fail(Errno.EINTR);
    run(faults, "EINTR from every second " + function);
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD", "PREADV", "PWRITE"})
  void shortCountsMakeNoDifference(Function function) throws Exception {
    // Direct I/O is cut to whole blocks of the device.
    boolean direct = kind == Scenario.Kind.DIRECT;
    int unit = direct ? Scenario.BLOCK_SIZE : 1;
    for (int count : direct ? new int[] {1, 7} : new int[] {1, 7, 255}) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultSystemCalls faults = kind.faults();
        faults.on(function).at(k).transferAtMost(count * unit);
        run(faults, count * unit + " bytes by " + function + " " + k);
      }
    }
    FaultSystemCalls faults = kind.faults();
    faults.on(function).every(3).fail(Errno.EINTR);
    faults.on(function).always().transferAtMost(11 * unit);
    run(faults, 11 * unit + " bytes by each " + function);
    long moved = undisturbed.calls(function).stream().mapToLong(Call::result).sum();
    long least = moved / (11L * unit);
    assertTrue(faults.count(function) >= least, faults.count(function) + " of " + least);
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD_NO_WAIT", "FADVISE"})
  void adviceAndLooksThatFailMakeNoDifference(Function function) throws Exception {
    for (int errno : ERRORS) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultSystemCalls faults = kind.faults();
        faults.on(function).at(k).fail(errno);
        run(faults, Errno.describe(errno) + " from " + function + " " + k);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {
        "OPEN",
        "FSTAT",
        "PREAD",
        "PREADV",
        "PWRITE",
        "FTRUNCATE",
        "FDATASYNC",
        "CLOSE",
        "DIRECT_ALIGNMENT"
      })
  void aCallThatFailsGivesOneClearException(Function function) throws Exception {
    Map<Integer, Class<? extends IOException>> types =
        Map.of(Errno.EACCES, AccessDeniedException.class);
    for (int errno : ERRORS) {
      for (long k = 1; k <= undisturbed.count(function); k++) {
        FaultSystemCalls faults = kind.faults();
        decisive(faults, function, k).fail(errno);
        String text = Errno.describe(errno) + " from " + function + " " + k;
        IOException e = fails(faults, text);
        assertEquals(types.getOrDefault(errno, FileSystemException.class), e.getClass(), text);
        Call call = faults.calls(function).get((int) k - 1);
        String message = e.getMessage();
        assertTrue(message.startsWith(call.path() + ": "), text + ": " + message);
        assertTrue(message.contains(Errno.describe(errno)), text + ": " + message);
        assertTrue(
            message.contains(
                ": " + NAMES.getOrDefault(function, function.name().toLowerCase(Locale.ROOT))),
            text + ": " + message);
        assertEquals(call.path().toString(), ((FileSystemException) e).getFile(), text);
      }
    }
  }

  /** What could not be read together with its neighbours is read alone. */
  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD", "PREADV"})
  void aReadOfMoreThanIsAskedForThatFailsMakesNoDifference(Function function) throws Exception {
    for (Call call : undisturbed.calls(function)) {
      for (long answer : new long[] {-Errno.EIO, -Errno.EINVAL, 0}) {
        if (readsMore(call)) {
          FaultSystemCalls faults = kind.faults();
          faults.on(function).at(call.number()).answer(answer);
          run(faults, answer + " from " + function + " " + call.number());
          Call then = faults.calls(function).get((int) call.number());
          if (function == Function.PREADV) {
            assertEquals(Scenario.BLOCK_SIZE, then.length(), "then");
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Function.class,
      names = {"PREAD", "PREADV"})
  void aReadThatFindsTheEndTooSoonSaysThatTheFileWasTruncated(Function function) {
    for (long k = 1; k <= undisturbed.count(function); k++) {
      FaultSystemCalls faults = kind.faults();
      decisive(faults, function, k).answer(0);
      String text = "0 from " + function + " " + k;
      EOFException e = assertInstanceOf(EOFException.class, fails(faults, text), text);
      Path path = faults.calls(function).get((int) k - 1).path();
      Fixtures.assertNames(e, "truncated");
      assertTrue(e.getMessage().endsWith(path.toString()), e.getMessage());
    }
  }

  @Test
  void aReadThatWouldBlockOrIsNonsenseIsAnErrorLikeAnyOther() {
    for (int errno : new int[] {Errno.EAGAIN, Errno.EBADF, Errno.EINVAL, 9999}) {
      for (Function function : List.of(Function.PREAD, Function.PREADV, Function.PWRITE)) {
        if (undisturbed.count(function) > 1) {
          FaultSystemCalls faults = kind.faults();
          decisive(faults, function, 2).fail(errno);
          IOException e = fails(faults, function + " " + errno);
          assertTrue(e.getMessage().contains(Errno.describe(errno)), e.getMessage());
        }
      }
    }
  }
}
