/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import java.util.SplittableRandom;

/**
 * Ranks from 1 to n, rank k with a probability proportional to {@code k^-s}, exactly: by
 * rejection-inversion after W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
 * from monotone discrete distributions" (ACM TOMACS 6, 1996). Takes no table, so that a sampler of
 * ten million items takes none of the memory that is being limited, and about 1.1 tries a sample.
 *
 * <p>H is the integral of {@code h(x) = x^-s}. A point drawn evenly between H(1.5) - 1 and H(n +
 * 0.5) is taken back through the inverse of H and rounded to a rank; it counts if it lies in the
 * part of that rank's interval that is as long as h(rank).
 *
 * <p>One thread, as its source of random numbers.
 */
public final class Zipf {
  private static final double TAYLOR_BELOW = 1e-8;

  private final long n;
  private final double s;
  private final double first;
  private final double last;
  private final double sure;

  /**
   * @param n number of ranks, at least 1
   * @param s exponent, greater than 0; 1 included
   */
  public Zipf(long n, double s) {
    if (n < 1 || !(s > 0) || Double.isInfinite(s)) {
      throw new IllegalArgumentException("n=" + n + " must be at least 1, s=" + s + " positive");
    }
    this.n = n;
    this.s = s;
    this.first = integral(1.5) - 1;
    this.last = integral(n + 0.5);
    this.sure = 2 - inverse(integral(2.5) - h(2));
  }

  /** The next rank, from 1. */
  public long next(SplittableRandom random) {
    while (true) {
      double u = last + random.nextDouble() * (first - last);
      double x = inverse(u);
      long rank = Math.max(1, Math.min(n, Math.round(x)));
      // Within this distance of the rank it lies in its part always: most samples end here.
      if (rank - x <= sure || u >= integral(rank + 0.5) - h((double) rank)) {
        return rank;
      }
    }
  }

  private double h(double x) {
    return Math.exp(-s * Math.log(x));
  }

  /** (x^(1-s) - 1) / (1 - s), which for s = 1 is log x. */
  private double integral(double x) {
    double log = Math.log(x);
    return expm1OverX((1 - s) * log) * log;
  }

  private double inverse(double y) {
    // Below -1 only by rounding.
    double t = Math.max(-1, y * (1 - s));
    return Math.exp(log1pOverX(t) * y);
  }

  private static double log1pOverX(double x) {
    return Math.abs(x) > TAYLOR_BELOW ? Math.log1p(x) / x : 1 - x / 2 + x * x / 3;
  }

  private static double expm1OverX(double x) {
    return Math.abs(x) > TAYLOR_BELOW ? Math.expm1(x) / x : 1 + x / 2 + x * x / 6;
  }
}
