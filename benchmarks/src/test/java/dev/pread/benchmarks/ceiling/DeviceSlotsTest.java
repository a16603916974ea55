/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.result.Run;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device of this machine, under the fio that is installed and under the loop. */
class DeviceSlotsTest {
  private static final FioJob RANDOM = job("psync", 4);

  @TempDir private Path temp;
  private final StopSignal stop = StopSignal.ofShutdown();
  private final Recorder recorder =
      new Recorder(new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of()), null);
  private TestBed bed;
  private Path file;

  private static FioJob job(String engine, int jobs) {
    return new FioJob(new FioJob.Reads(engine, false, 4096), jobs, 1, 0.02, 0.1);
  }

  @BeforeEach
  void write() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    bed = TestBed.open(new TestBed.Setup(temp.resolve("work"), false, 0, 0), stop);
    file = bed.folder().path().resolve("data");
    DataPattern.write(
        file, 4 << 20, new Progress(new PrintWriter(Writer.nullWriter()), false), stop);
  }

  @AfterEach
  void close() throws Exception {
    if (bed != null) {
      bed.close();
    }
    stop.close();
  }

  private Cell throughput() {
    Run run = recorder.run(true);
    assertEquals(3, run.cells().size(), run.toString());
    Cell cell = run.cells().get(0);
    assertEquals("throughput", cell.metric().name());
    assertTrue(cell.samples().get(0) > 0.01, cell.toString());
    assertTrue(cell.samples().get(0) < 100_000, cell.toString());
    return cell;
  }

  @Test
  void fioThatIsInstalled() throws Exception {
    assumeTrue(new Fio(Fio.COMMAND, bed).missing() == null, "needs fio");
    DeviceSlots slots = new DeviceSlots(recorder, bed, file, Fio.COMMAND);
    slots.measure(RANDOM);
    assertEquals(Contender.ceiling("fio"), throughput().contender());
    slots.measure(job("no-such-engine", 1));
    slots.measure(job("no-such-engine", 2));
    Run run = recorder.run(true);
    assertEquals(1, run.skipped().size());
    assertTrue(
        run.skipped().get(0).why().contains("engine no-such-engine not loadable"),
        run.skipped().toString());
    assertEquals(3, run.cells().size(), "nothing of it");
  }

  @Test
  void loopStandsInForFio() throws Exception {
    DeviceSlots slots =
        new DeviceSlots(recorder, bed, file, temp.resolve("no-such-fio").toString());
    slots.measure(job("io_uring", 1));
    slots.measure(RANDOM);
    Cell cell = throughput();
    assertEquals(Contender.ceiling("ffm-loop"), cell.contender());
    assertEquals("ffm", cell.conditions().get("engine"));
    assertEquals("4", cell.conditions().get("depth"));
    Run run = recorder.run(true);
    assertEquals("ceiling: io_uring", run.skipped().get(0).what());
    assertTrue(run.skipped().get(0).why().contains("install fio"), run.skipped().toString());
    assertTrue(run.notes().toString().contains("pread(2) through FFM"), run.notes().toString());
  }

  @Test
  void nothingAfterAStop() throws Exception {
    DeviceSlots slots = new DeviceSlots(recorder, bed, file, Fio.COMMAND);
    stop.request();
    slots.measure(RANDOM);
    assertEquals(0, recorder.run(false).cells().size());
  }
}
