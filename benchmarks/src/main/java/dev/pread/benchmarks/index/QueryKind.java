/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

/** Lists the kinds of queries, in the order of the table. */
public enum QueryKind {
  /** One term, the ten best. */
  TERM("term"),
  /** Two terms, both required, the ten best. */
  AND("AND"),
  /** Two terms, either will do, the ten best. */
  OR("OR"),
  /** Two terms side by side, the ten best. */
  PHRASE("phrase"),
  /** All documents with a term, the ten with the largest value in doc values. */
  SORT("sort by doc values"),
  /** The document with a given key. */
  KEY("primary key"),
  /** The stored fields of one document. */
  STORED("stored document"),
  /** All documents with a point between two values. */
  RANGE("range"),
  /** The ten nearest neighbours of a vector. */
  KNN("kNN");

  private final String label;

  QueryKind(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
