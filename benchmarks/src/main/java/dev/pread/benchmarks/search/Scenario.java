/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import java.util.Locale;

/** Says what is done to an index, by the names that RocksDB's benchmark made common. */
enum Scenario {
  /** Adds documents. */
  BULK_LOAD,
  /** Looks a key up and reads the stored fields of its document. */
  READ_RANDOM,
  /** Does the same for many keys: all are looked up, all prefetched, and then read. */
  MULTI_READ_RANDOM,
  /** Seeks a key in the terms and reads its document and those of the keys after it. */
  FWD_RANGE,
  /** Does the same with the keys before it. */
  REV_RANGE,
  /** Replaces the document of a key. */
  OVERWRITE,
  READ_WHILE_WRITING,
  FWD_RANGE_WHILE_WRITING,
  REV_RANGE_WHILE_WRITING,
  /** Finds the nearest neighbours of a vector by full vectors. */
  KNN,
  /** Finds candidates by quantized vectors, and the nearest among them by full ones. */
  KNN_RESCORE;

  boolean ofVectors() {
    return this == KNN || this == KNN_RESCORE;
  }

  boolean whileWriting() {
    return name().endsWith("_WHILE_WRITING");
  }

  /** Returns whether it changes its index, and so needs one of its own. */
  boolean writes() {
    return whileWriting() || this == BULK_LOAD || this == OVERWRITE;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
