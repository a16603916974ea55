/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ProcessFigures;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Counts the page faults of an iteration that wait for the device; negative if unknown. */
public final class MajorFaults implements InternalProfiler {
  static final String NAME = "major faults";

  private long before;

  @Override
  public String getDescription() {
    return "page faults that wait for the device";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = ProcessFigures.majorFaults();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    long faults = ProcessFigures.majorFaultsSince(before);
    return List.of(new ScalarResult(NAME, faults, "", AggregationPolicy.SUM));
  }
}
