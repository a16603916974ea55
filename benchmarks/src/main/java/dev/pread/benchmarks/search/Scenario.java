/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.IndexFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What is done to an index, by the names that RocksDB's benchmark made common. */
enum Scenario {
  BULK_LOAD(Operation.ADD, false),
  READ_RANDOM(Operation.GET, false),
  MULTI_READ_RANDOM(Operation.MULTI_GET, false),
  FWD_RANGE(Operation.FORWARD, false),
  REV_RANGE(Operation.REVERSE, false),
  OVERWRITE(Operation.UPDATE, false),
  READ_WHILE_WRITING(Operation.GET, true),
  FWD_RANGE_WHILE_WRITING(Operation.FORWARD, true),
  REV_RANGE_WHILE_WRITING(Operation.REVERSE, true),
  KNN(Operation.NEAREST, false),
  KNN_RESCORE(Operation.RESCORE, false);

  private final Operation operation;
  private final boolean whileWriting;

  /** What a request does. */
  enum Operation {
    /** Adds a document. */
    ADD(1),
    /** Looks a key up and reads the stored fields of its document. */
    GET(1),
    /** The same for many keys: all are looked up, all prefetched, and then read. */
    MULTI_GET(32),
    /** Seeks a key in the terms and reads its document and those of the keys after it. */
    FORWARD(100),
    /** The same with the keys before it. */
    REVERSE(100),
    /** Replaces the document of a key. */
    UPDATE(1),
    /** Finds the nearest neighbours of a vector by full vectors. */
    NEAREST(50),
    /** Finds candidates by quantized vectors, and the nearest among them by full ones. */
    RESCORE(100);

    private final int docs;

    Operation(int docs) {
      this.docs = docs;
    }

    /** Returns the number of documents of a request, or of candidates. */
    int docs() {
      return docs;
    }
  }

  Scenario(Operation operation, boolean whileWriting) {
    this.operation = operation;
    this.whileWriting = whileWriting;
  }

  Operation operation() {
    return operation;
  }

  /** Returns whether it searches a {@link VectorIndex}, and no texts. */
  boolean ofVectors() {
    return operation == Operation.NEAREST || operation == Operation.RESCORE;
  }

  /** Returns whether a writer with a limited rate is at work meanwhile. */
  boolean whileWriting() {
    return whileWriting;
  }

  /** Returns whether it changes its index, and so needs one of its own. */
  boolean writes() {
    return whileWriting || operation == Operation.ADD || operation == Operation.UPDATE;
  }

  /** Makes the index that it works on: the one that all begin with, or a new one of its own. */
  Path folder(Path index, Path slots) throws IOException {
    Path own = slots.resolve(toString());
    return !writes()
        ? index
        : operation == Operation.ADD ? Files.createDirectory(own) : IndexFiles.link(index, own);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
