/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IterationLogTest {
  @TempDir private Path temp;

  @Test
  void countsOfAllThreadsAreAdded() throws Exception {
    Path file = temp.resolve("log");
    IterationLog log = new IterationLog(file);
    log.begin(0);
    log.counter().count();
    log.end(false);
    log.begin(600);
    IterationLog.Counter first = log.counter();
    IterationLog.Counter second = log.counter();
    first.count();
    first.count();
    second.count();
    Thread.sleep(210);
    second.count();
    log.end(true);
    List<IterationLog.Iteration> measured = IterationLog.measured(file);
    assertEquals(1, measured.size(), "warm-up does not count");
    IterationLog.Iteration iteration = measured.get(0);
    assertEquals(4, iteration.operations());
    assertEquals(600, iteration.reads().size());
    assertEquals(4 * 16, iteration.reads().stream().mapToLong(x -> x).sum());
    assertEquals(3 * 16, iteration.reads().get(0) + iteration.reads().get(1));
    assertTrue(iteration.majorFaults() >= 0);
  }

  @Test
  void whatComesTooLateIsNoReadOfTheIteration() throws Exception {
    Path file = temp.resolve("log");
    IterationLog log = new IterationLog(file);
    log.begin(1);
    IterationLog.Counter counter = log.counter();
    Thread.sleep(110);
    counter.count();
    log.end(true);
    assertEquals(List.of(0L), IterationLog.measured(file).get(0).reads());
  }

  @Test
  void readsWhatWasWritten() throws Exception {
    Path file = temp.resolve("log");
    Files.writeString(
        file,
        """
        {"measured":false,"operations":7,"majorFaults":0,"reads":[]}
        {"measured":true,"operations":71,"majorFaults":-1,"reads":[16,1120]}
        """);
    assertEquals(
        List.of(new IterationLog.Iteration(true, 71, -1, List.of(16L, 1120L))),
        IterationLog.measured(file));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"measured\":true,\"operations\":71,\"majorFaults\":0,\"rea",
        "{\"measured\":true,\"operations\":\"many\",\"majorFaults\":0,\"reads\":[]}",
        "{\"measured\":true,\"operations\":1}",
        "null",
        "OpenJDK 64-Bit Server VM warning: something",
        "",
      })
  void damagedLinesAreNamed(String line) throws Exception {
    Path file = temp.resolve("log");
    Files.writeString(file, line + "\n");
    IOException e = assertThrows(IOException.class, () -> IterationLog.measured(file));
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }
}
