/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * When requests arrive: a sequence that knows nothing of how long it takes to serve them. The first
 * request arrives at once. One thread at a time.
 */
public final class Arrivals {
  private static final double NANOS = 1e9;

  private final DoubleSupplier interval;
  private double next;

  private Arrivals(DoubleSupplier interval) {
    this.interval = interval;
  }

  /** Requests arrive at regular intervals. */
  public static Arrivals even(double perSecond) {
    double interval = NANOS / checked(perSecond);
    return new Arrivals(() -> interval);
  }

  /**
   * A Poisson process: independent, exponentially distributed times between arrivals, as of many
   * users who know nothing of each other. So requests come in bunches, unlike with regular
   * intervals, and queue up even where the average rate leaves room.
   *
   * @param seed the same one gives the same arrivals
   */
  public static Arrivals poisson(double perSecond, long seed) {
    UniformRandomProvider random = new SplittableRandom(seed)::nextLong;
    return new Arrivals(ZigguratSampler.Exponential.of(random, NANOS / checked(perSecond))::sample);
  }

  private static double checked(double perSecond) {
    if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
      throw new IllegalArgumentException(perSecond + " is no rate of arrivals");
    }
    return perSecond;
  }

  /** The arrival that {@link #next()} returns next: a loop that begins now counts from there. */
  long origin() {
    return (long) next;
  }

  /** The next arrival, in nanoseconds since the very first; never less than the one before. */
  long next() {
    long arrival = (long) next;
    next += interval.getAsDouble();
    return arrival;
  }
}
