/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.report.Progress;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop that stands in for fio, on a real file with O_DIRECT. */
class FfmLoopTaskTest {
  private static final int LENGTH = 1 << 20;

  @TempDir private Path temp;
  private Path file;

  @BeforeEach
  void write() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    file = temp.resolve("data");
    try (StopSignal stop = StopSignal.ofShutdown()) {
      DataPattern.write(
          file, LENGTH, new Progress(new PrintWriter(Writer.nullWriter()), false), stop);
    }
  }

  private FfmLoopTask task(boolean sequential, int bytes, int threads) {
    FioJob.Reads reads = new FioJob.Reads("psync", sequential, bytes);
    return new FfmLoopTask(file.toString(), new FioJob(reads, threads, 1, 0.01, 0.05));
  }

  @Test
  void readsPastThePageCache() throws Exception {
    PageCache.drop(file);
    for (boolean sequential : new boolean[] {false, true}) {
      FfmLoopTask.Result result = task(sequential, 4096, 3).run();
      assertNull(result.unavailable());
      assertTrue(result.readsPerMs() > 0);
      assertTrue(result.latencies().count() > 0);
      assertTrue(result.latencies().p50() <= result.latencies().p99());
    }
    assertEquals(0, PageCache.residentBytes(file), "O_DIRECT");
  }

  @Test
  void wrongBytesAreSeen() throws Exception {
    try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
      for (int block = 0; block < LENGTH; block += 4096) {
        damaged.seek(block + 4095);
        damaged.write(0);
      }
    }
    assertThrows(WrongBytesException.class, () -> task(true, 4096, 1).run());
  }

  @Test
  void refusalIsNoFailure() throws Exception {
    FfmLoopTask.Result result = new FfmLoopTask("/proc/version", task(false, 4096, 1).job()).run();
    assertNotNull(result.unavailable());
    assertTrue(result.unavailable().contains("/proc/version"), result.unavailable());
    assertTrue(result.unavailable().contains("--work"), result.unavailable());
  }
}
