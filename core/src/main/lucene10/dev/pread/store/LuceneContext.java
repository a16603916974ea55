/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;
import org.apache.lucene.util.Version;

/** Tells what an {@link IOContext} says, in the words of this version of Lucene. */
public final class LuceneContext {

  /** The oldest version of Lucene that has what is called here; later ones of its major have. */
  static final Version OLDEST = Version.fromBits(10, 3, 0);

  private LuceneContext() {}

  /** Returns whether a file is read once from end to end, and then closed. */
  static boolean isReadOnce(IOContext context) {
    return context.hints().contains(ReadOnceHint.INSTANCE);
  }

  /** Returns whether a file is read or written for a merge or a flush. */
  public static boolean isOfWriter(IOContext context) {
    return context.context() != IOContext.Context.DEFAULT;
  }

  /** Returns whether a file is wanted in memory from the start. */
  static boolean isPreload(IOContext context) {
    return context.hints().contains(PreloadHint.INSTANCE);
  }

  /** Returns whether reads are said to follow each other. */
  static boolean isSequential(IOContext context) {
    return context.hints().contains(DataAccessHint.SEQUENTIAL);
  }

  /** Returns whether reads are said to be here and there. */
  static boolean isRandom(IOContext context) {
    return context.hints().contains(DataAccessHint.RANDOM);
  }

  /** Returns whether a file is written for a flush. */
  public static boolean isFlush(IOContext context) {
    return context.context() == IOContext.Context.FLUSH;
  }

  /**
   * Returns how many bytes all files of the merge or flush are expected to have, or 0 if nothing is
   * known: later versions of Lucene need not give a size, and {@code addIndexes} says -1.
   */
  public static long estimatedBytes(IOContext context) {
    MergeInfo merge = context.mergeInfo();
    FlushInfo flush = context.flushInfo();
    return switch (context.context()) {
      case MERGE -> merge == null ? 0 : Math.max(0, merge.estimatedMergeBytes());
      case FLUSH -> flush == null ? 0 : flush.estimatedSegmentSize();
      case DEFAULT -> 0;
    };
  }
}
