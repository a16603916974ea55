/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.policy.Policy;
import dev.pread.benchmarks.policy.PolicyKind;
import java.util.ArrayList;
import java.util.List;

/** Replays a trace through caches of several sizes and policies, and counts the hits. */
public final class Simulation {
  private static final int CALLS_PER_LOOK = 1 << 16;

  private final Options options;
  private final StopSignal stop;

  /**
   * What to replay; every combination is.
   *
   * @param caches sizes
   * @param blockSizes bytes, multiples of 4,096
   * @param bypasses what the caches do not get to see
   * @param policies in the order of the columns
   */
  public record Options(
      List<CacheSize> caches,
      List<Integer> blockSizes,
      List<Bypass> bypasses,
      List<PolicyKind> policies) {

    /** Unmodifiable copies. */
    public Options {
      caches = List.copyOf(caches);
      blockSizes = List.copyOf(blockSizes);
      bypasses = List.copyOf(bypasses);
      policies = List.copyOf(policies);
    }

    /** How many rows each trace has. */
    public int rowsPerTrace() {
      return caches.size() * blockSizes.size() * bypasses.size();
    }
  }

  /**
   * One cache on one trace, with each policy.
   *
   * @param trace its name
   * @param bypass what it did not get to see
   * @param blockSize bytes
   * @param cache its size as it was asked for
   * @param capacity its size in blocks
   * @param accesses how often it was asked for a block
   * @param distinct for how many different ones
   * @param hits of each policy, in the order of the options
   */
  public record Row(
      String trace,
      Bypass bypass,
      int blockSize,
      CacheSize cache,
      int capacity,
      long accesses,
      long distinct,
      List<Long> hits) {

    /** The part of the accesses that were hits, of the policy at a position; 0 without any. */
    public double hitRatio(int policy) {
      return accesses == 0 ? 0 : (double) hits.get(policy) / accesses;
    }
  }

  /** Is told of each row as it is done. */
  public interface Listener {
    /** One more row is done. */
    void done(int rows);
  }

  /** Stops, when asked to, with the rows that are done. */
  public Simulation(Options options, StopSignal stop) {
    this.options = options;
    this.stop = stop;
  }

  /** Replays the trace; the rows are in the order of bypass, block size, cache. */
  public List<Row> run(Trace trace, Listener listener) {
    List<Row> rows = new ArrayList<>();
    for (Bypass bypass : options.bypasses()) {
      for (int blockSize : options.blockSizes()) {
        Calls calls = Calls.of(trace, blockSize, bypass);
        for (CacheSize cache : options.caches()) {
          int capacity = cache.blocks(trace.indexBytes(), blockSize);
          List<Long> hits = new ArrayList<>();
          for (PolicyKind kind : options.policies()) {
            hits.add(hits(calls.all(), kind.make(capacity, calls.all())));
          }
          if (stop.requested()) {
            return rows;
          }
          rows.add(
              new Row(
                  trace.name(),
                  bypass,
                  blockSize,
                  cache,
                  capacity,
                  calls.accesses(),
                  calls.distinct(),
                  List.copyOf(hits)));
          listener.done(rows.size());
        }
      }
    }
    return rows;
  }

  private long hits(long[] calls, Policy policy) {
    long hits = 0;
    for (int i = 0; i < calls.length; i++) {
      if (i % CALLS_PER_LOOK == 0 && stop.requested()) {
        return hits;
      }
      long call = calls[i];
      if (call < 0) {
        policy.forget(-1 - call);
      } else if (policy.access(call)) {
        hits++;
      }
    }
    return hits;
  }
}
