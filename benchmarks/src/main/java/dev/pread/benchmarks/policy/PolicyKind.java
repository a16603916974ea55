/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The policies by the names they have on the command line, in the order of the table. */
public enum PolicyKind {
  /** See {@link Lru}. */
  LRU("lru"),
  /** See {@link WTinyLfu}. */
  W_TINYLFU("w-tinylfu"),
  /** See {@link Clock}, with one bit. */
  CLOCK("clock"),
  /** See {@link Clock}, with two bits. */
  GCLOCK("gclock"),
  /** See {@link Sieve}. */
  SIEVE("sieve"),
  /** See {@link S3Fifo}, as in the paper. */
  S3_FIFO("s3-fifo"),
  /** See {@link S3Fifo}, but one hit is enough to get into the main queue. */
  S3_FIFO_1("s3-fifo-1"),
  /** See {@link Opt}. */
  OPT("opt");

  private static final int ONE_BIT = 1;
  private static final int TWO_BITS = 3;

  private final String label;

  PolicyKind(String label) {
    this.label = label;
  }

  /** What the command line and the table call it. */
  public String label() {
    return label;
  }

  /**
   * Looks a name up.
   *
   * @return null if there is none of that name
   */
  public static PolicyKind named(String label) {
    for (PolicyKind kind : values()) {
      if (kind.label.equals(label)) {
        return kind;
      }
    }
    return null;
  }

  /** All names, for messages. */
  public static String labels() {
    return Arrays.stream(values()).map(PolicyKind::label).collect(Collectors.joining(", "));
  }

  /**
   * A new and empty cache.
   *
   * @param capacity in keys, at least 1
   * @param future all calls to come, in order: the key of an access, {@code -1 - key} for one to be
   *     forgotten; only {@link #OPT} looks at it, and none changes it
   */
  public Policy make(int capacity, long[] future) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a cache of " + capacity + " keys: at least 1");
    }
    return switch (this) {
      case LRU -> new Lru(capacity);
      case W_TINYLFU -> new WTinyLfu(capacity);
      case CLOCK -> new Clock(capacity, ONE_BIT);
      case GCLOCK -> new Clock(capacity, TWO_BITS);
      case SIEVE -> new Sieve(capacity);
      case S3_FIFO -> new S3Fifo(capacity, 2);
      case S3_FIFO_1 -> new S3Fifo(capacity, 1);
      case OPT -> new Opt(capacity, future);
    };
  }
}
