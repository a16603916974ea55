/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pread.Fixtures;
import dev.pread.reliability.Campaign;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a power failure leaves of an index, it is whole, and no commit that returned is lost.
 */
final class PowerFailureTest {

  private static final Logger LOGGER = System.getLogger(PowerFailureTest.class.getName());

  /** Random choices of what survives, per operation. */
  private static final int RANDOM_KINDS = 4;

  /** States in which a planted fault has to be found; it took 16 at most with the usual seeds. */
  private static final int STATES_FOR_A_FAULT = 50;

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource
  void noCrashLosesACommit(Storage storage) throws IOException {
    int rounds = (int) Campaign.size(1, 1, 4);
    Workload workload = Workload.run(temp, storage, Fixtures.SEED, rounds);
    RecoveryCheck check = new RecoveryCheck(storage, workload.commits());
    CrashSearch.Result result =
        new CrashSearch(index(), check, Fixtures.SEED)
            .search(workload.log(), RANDOM_KINDS, Campaign.size(200, 200, 1000), temp);
    log(storage + ", " + workload.log().size() + " operations", result);
    LOGGER.log(Level.INFO, () -> check.halfRemoved() + " old commits were half removed");
    assertNull(result.violation(), result.violation());
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedFaultIsFound(PlantedFault fault) throws IOException {
    // This is the one storage in which all of them show.
    Storage storage = Storage.DIRECT_512;
    Workload workload = Workload.run(temp, storage, Fixtures.SEED, 1);
    List<Operation> faulty = fault.plantedIn(workload.log());
    CrashSearch.Result result =
        new CrashSearch(index(), new RecoveryCheck(storage, workload.commits()), Fixtures.SEED)
            .search(faulty, RANDOM_KINDS, STATES_FOR_A_FAULT, temp);
    log(fault.toString(), result);
    assertNotNull(result.violation(), () -> fault + " was not found");
  }

  /** Nothing gets past the log. */
  @ParameterizedTest
  @EnumSource
  void theLogMakesTheFolderAsItIs(Storage storage) throws IOException {
    Workload workload = Workload.run(temp, storage, Fixtures.SEED, 1);
    SortedMap<String, byte[]> real = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(index())) {
      for (Path file : files) {
        real.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    // It is made by java.nio, and empty for ever.
    assertEquals(0, real.remove("write.lock").length);
    Survival everything = Survival.of(1, Fixtures.SEED);
    SortedMap<String, byte[]> replayed = new Disk(workload.log()).crash(index(), everything);
    assertEquals(real.keySet(), replayed.keySet());
    real.forEach((name, bytes) -> assertArrayEquals(bytes, replayed.get(name), name));
  }

  private Path index() {
    return temp.resolve("index");
  }

  private static void log(String what, CrashSearch.Result result) {
    String found = result.violation() == null ? "nothing" : result.violation();
    LOGGER.log(
        Level.INFO,
        () ->
            what
                + ": "
                + result.crashes()
                + " crashes, "
                + result.states()
                + " different states, found: "
                + found.lines().findFirst().orElseThrow());
  }
}
