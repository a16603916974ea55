/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.io.IOException;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;

/**
 * Declares what an input is in this version of Lucene. With {@link LuceneContext} this is all that
 * differs from version to version. The methods declared here are those that later versions have, so
 * that one source serves all: this version calls none of them, and tests do.
 */
abstract class LuceneInput extends IndexInput implements RandomAccessInput {

  LuceneInput(String description) {
    super(description);
  }

  abstract PreadIndexInput slice(String description, long offset, long length, IOContext context)
      throws IOException;

  public abstract void readBytes(long position, byte[] dst, int offset, int count)
      throws IOException;

  public abstract void prefetch(long position, long count) throws IOException;

  abstract void updateIOContext(IOContext context) throws IOException;

  abstract boolean isEfficientFor(IOContext context);
}
