/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import java.util.SplittableRandom;

/**
 * When requests arrive: a sequence that knows nothing of how long it takes to serve them. One
 * thread at a time.
 */
public abstract class Arrivals {
  private static final double NANOS = 1e9;

  private Arrivals() {}

  /**
   * The next arrival, in nanoseconds since the first one was possible; never less than the one
   * before.
   */
  abstract long next();

  /** The arrival that was handed out last, or 0: what comes next is counted from there. */
  abstract long origin();

  /** At regular intervals, the first one at once. */
  public static Arrivals even(double perSecond) {
    return new Even(NANOS / checked(perSecond));
  }

  /**
   * A Poisson process: independent, exponentially distributed times between arrivals, as of many
   * users who know nothing of each other. So requests come in bunches, unlike with regular
   * intervals, and queue up even where the average rate leaves room.
   *
   * @param seed the same one gives the same arrivals
   */
  public static Arrivals poisson(double perSecond, long seed) {
    return new Poisson(NANOS / checked(perSecond), seed);
  }

  private static double checked(double perSecond) {
    if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
      throw new IllegalArgumentException(perSecond + " is no rate of arrivals");
    }
    return perSecond;
  }

  private static final class Even extends Arrivals {
    private final double interval;
    private long number;

    Even(double interval) {
      this.interval = interval;
    }

    @Override
    long next() {
      return (long) (number++ * interval);
    }

    @Override
    long origin() {
      return (long) (number * interval);
    }
  }

  private static final class Poisson extends Arrivals {
    private final double mean;
    private final SplittableRandom random;
    private double now;

    Poisson(double mean, long seed) {
      this.mean = mean;
      this.random = new SplittableRandom(seed);
    }

    @Override
    long next() {
      // 1 - u is never 0, whose logarithm there is none of.
      now -= Math.log(1 - random.nextDouble()) * mean;
      return (long) now;
    }

    @Override
    long origin() {
      return (long) now;
    }
  }
}
