/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Every way calls what it says, on a real file; and JMH runs them. */
class NativeWayTest {
  private static final int LENGTH = 64 << 10;

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

  private static Map<String, NativeWay> ways() {
    return NativeWay.available(new TreeMap<>());
  }

  @Test
  void allThatAreThere() {
    Map<String, String> missing = new TreeMap<>();
    Set<String> names = NativeWay.available(missing).keySet();
    assertTrue(
        names.containsAll(
            List.of(
                "channel",
                "ffm",
                "jdk",
                "bare-ffm",
                "input-stream",
                "filechannel-heap",
                "pread-directory",
                "pread-directory-cached")),
        names.toString());
    assertTrue(
        names.contains("jni") || missing.get("jni").contains("not available"), missing.toString());
  }

  @Test
  void callsGiveTheRightResults() throws Exception {
    long inode = (Long) Files.getAttribute(file, "unix:ino");
    for (Map.Entry<String, NativeWay> way : ways().entrySet()) {
      for (CallKind kind : CallKind.values()) {
        String name = way.getKey() + " " + kind;
        NativeCall call = way.getValue().prepare(kind, file).orElse(null);
        if (call == null) {
          continue;
        }
        try (call) {
          for (int i = 0; i < 3; i++) {
            long result = call.call();
            switch (kind) {
              case PREAD_8, PREAD_8192 -> assertEquals(DataPattern.word(0), result, name);
              default -> {
                // The channel backend cannot tell an inode, and the JDK is asked for the length.
                List<Long> right = List.of(inode, (long) LENGTH, 0L);
                assertTrue(right.contains(result), name + ": " + result);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void readersFillTheArrayOverAndOver() throws Exception {
    byte[] all = Files.readAllBytes(file);
    int readers = 0;
    for (Map.Entry<String, NativeWay> way : ways().entrySet()) {
      NativeWay.Reader reader = way.getValue().open(file, 8192).orElse(null);
      if (reader == null) {
        continue;
      }
      readers++;
      byte[] array = new byte[8192];
      try (reader) {
        for (int pass = 0; pass < 2; pass++) {
          for (int offset = 0; offset < LENGTH; offset += array.length) {
            reader.read(array, offset);
            assertArrayEquals(
                Arrays.copyOfRange(all, offset, offset + array.length), array, way.getKey());
          }
        }
        assertThrows(IOException.class, () -> reader.read(array, LENGTH), way.getKey());
      }
    }
    assertTrue(readers >= 6, "readers: " + readers);
  }

  @Test
  void shortReadIsSeen() throws Exception {
    Path tiny = temp.resolve("tiny");
    Files.write(tiny, new byte[100]);
    for (Map.Entry<String, NativeWay> way : ways().entrySet()) {
      NativeCall call = way.getValue().prepare(CallKind.PREAD_8192, tiny).orElse(null);
      if (call != null) {
        try (call) {
          assertThrows(IOException.class, call::call, way.getKey());
        }
      }
    }
  }

  @Test
  void failureOfABenchmarkIsTold() throws Exception {
    try (StopSignal stop = StopSignal.ofShutdown()) {
      HitMismatch e =
          assertThrows(
              HitMismatch.class,
              () ->
                  Forks.run(
                      new OptionsBuilder()
                          .include("^" + NativeCallBenchmark.class.getName() + "\\.")
                          .param("file", temp.resolve("absent").toString())
                          .param("way", "channel")
                          .param("kind", "FSTAT")
                          .warmupIterations(0)
                          .measurementIterations(1),
                      stop));
      assertTrue(e.getMessage().contains("absent"), e.getMessage());
    }
  }

  @Test
  void stopEndsTheFork() throws Exception {
    // What they run can't be seen behind a long class path.
    List<ProcessHandle> others = ProcessHandle.current().children().toList();
    try (StopSignal stop = StopSignal.ofShutdown()) {
      Thread later =
          new Thread(
              () -> {
                while (ProcessHandle.current().children().allMatch(others::contains)) {
                  LockSupport.parkNanos(10_000_000);
                }
                stop.request();
              });
      later.start();
      long start = System.nanoTime();
      List<Double> scores =
          Forks.run(
              new OptionsBuilder()
                  .include("^" + NativeCallBenchmark.class.getName() + "\\.")
                  .param("file", file.toString())
                  .param("way", "channel")
                  .param("kind", "FSTAT")
                  .warmupIterations(1)
                  .warmupTime(TimeValue.seconds(600))
                  .measurementIterations(1),
              stop);
      assertEquals(null, scores);
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60), "at once");
      assertEquals(others, ProcessHandle.current().children().toList());
      later.join();
    }
  }

  @Test
  void commandRunsForksAndSaysWhatIsMissing() throws Exception {
    Path json = temp.resolve("run.json");
    Cli cli =
        Cli.run(
            "native",
            "--no-ceiling",
            "--quick",
            "--read-ahead",
            0,
            "--work",
            temp.resolve("work"),
            "--json",
            json,
            "--file-size",
            "1m",
            "--contenders",
            "input-stream,jni");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(temp.resolve("work/native")), "the files are gone");
    Run run = RunFile.read(json);
    for (String way : List.of("input-stream", "jni")) {
      assertTrue(
          run.cells().stream()
              .filter(cell -> cell.conditions().get("call").equals("read a file"))
              .anyMatch(cell -> cell.contender().name().equals(way) && cell.samples().get(0) > 1),
          run.toString());
    }
    assertTrue(
        run.skipped().stream().anyMatch(left -> left.what().equals("native: stat, jni")),
        run.toString());
  }
}
