/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;

/**
 * Declares what an input is in this version of Lucene. With {@link LuceneContext} this is all that
 * differs from version to version; methods that other versions have not got are declared or
 * explained here.
 */
abstract class LuceneInput extends IndexInput implements RandomAccessInput {

  LuceneInput(String description) {
    super(description);
  }

  /**
   * Returns whether a file that is to be read as a context says is read well through this input.
   * Since version 10.6 Lucene opens the file once more where it is not; versions before that tell
   * this input to change.
   */
  // It overrides a method where Lucene has it, so that it can't have the annotation.
  @SuppressWarnings("MissingOverride")
  public abstract boolean isEfficientFor(IOContext context);
}
