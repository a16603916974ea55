/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.function.Consumer;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.format.OutputFormat;

/**
 * Takes what JMH would print: says which iteration it is in, and keeps the end of everything else,
 * for the message if it fails. Thread-safe.
 */
final class QuietFormat implements OutputFormat {
  private static final int KEPT = 16 << 10;

  private final Consumer<String> progress;
  private final StringBuilder said = new StringBuilder();

  /** Told of each iteration as it begins. */
  QuietFormat(Consumer<String> progress) {
    this.progress = progress;
  }

  /** The end of what it was told. */
  synchronized String said() {
    return said.toString().strip();
  }

  private synchronized void keep(String text) {
    said.append(text);
    if (said.length() > 2 * KEPT) {
      said.delete(0, said.length() - KEPT);
    }
  }

  @Override
  public void iteration(BenchmarkParams benchmark, IterationParams params, int number) {
    progress.accept(
        (params.getType() == IterationType.WARMUP ? "warm-up " : "iteration ") + number);
  }

  @Override
  public void iterationResult(
      BenchmarkParams benchmark, IterationParams params, int number, IterationResult data) {}

  @Override
  public void startBenchmark(BenchmarkParams params) {}

  @Override
  public void endBenchmark(BenchmarkResult result) {}

  @Override
  public void startRun() {}

  @Override
  public void endRun(Collection<RunResult> results) {}

  @Override
  public void print(String text) {
    keep(text);
  }

  @Override
  public void println(String text) {
    keep(text + "\n");
  }

  @Override
  public void verbosePrintln(String text) {}

  @Override
  public void write(int b) {
    keep(Character.toString((char) (b & 0xff)));
  }

  @Override
  public void write(byte[] bytes) {
    keep(new String(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
