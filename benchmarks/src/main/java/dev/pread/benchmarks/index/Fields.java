/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

/** The fields of a built index. */
final class Fields {
  /** The words of the chunk, with positions. */
  static final String BODY = "body";

  /** The primary key: file name, first line. */
  static final String ID = "id";

  /** The chunk as it stands in the file, stored. */
  static final String SOURCE = "source";

  /** How many words: doc values only, so that a sort by it has to read them. */
  static final String WORDS = "words";

  /** How many characters: points only. */
  static final String LENGTH = "length";

  /** A {@link WordVector vector} of the words. */
  static final String VECTOR = "vector";

  private Fields() {}
}
