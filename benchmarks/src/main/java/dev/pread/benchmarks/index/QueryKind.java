/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

/** Lists the kinds of queries, in the order of the table. */
public enum QueryKind {
  /** One term, the ten best. */
  TERM("term", "no indexed text field"),
  /** Two terms, both required, the ten best. */
  AND("AND", "no indexed text field"),
  /** Two terms, either will do, the ten best. */
  OR("OR", "no indexed text field"),
  /** Two terms side by side, the ten best. */
  PHRASE("phrase", "no text field with positions"),
  /** All documents with a term, the ten with the largest value in doc values. */
  SORT("sort by doc values", "no numeric doc values field"),
  /** The document with a given key. */
  KEY("primary key", "no field with one document per term"),
  /** The stored fields of one document. */
  STORED("stored document", "no stored fields"),
  /** All documents with a point between two values. */
  RANGE("range", "no one-dimensional point field"),
  /** The ten nearest neighbours of a vector. */
  KNN("kNN", "no field of float vectors");

  private final String label;
  private final String missing;

  QueryKind(String label, String missing) {
    this.label = label;
    this.missing = missing;
  }

  /** Returns what the table calls it. */
  public String label() {
    return label;
  }

  /** Says why an index has no such queries. */
  public String missing() {
    return missing;
  }
}
