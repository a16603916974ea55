/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.util.Version;

/** Tells what an {@link IOContext} says, in the words of this version of Lucene. */
public final class LuceneContext {

  /** The oldest version of Lucene that has what is called here; later ones of its major have. */
  static final Version OLDEST = Version.fromBits(9, 12, 0);

  private LuceneContext() {}

  /** Returns whether a file is read once from end to end, and then closed. */
  static boolean isReadOnce(IOContext context) {
    return context.readOnce;
  }

  /** Returns whether a file is read or written for a merge or a flush. */
  public static boolean isOfWriter(IOContext context) {
    return context.context == IOContext.Context.MERGE || isFlush(context);
  }

  /** Returns whether a file is wanted in memory from the start. */
  static boolean isPreload(IOContext context) {
    return context.load;
  }

  /** Returns whether reads are said to follow each other, which this version never says. */
  static boolean isSequential(IOContext context) {
    return false;
  }

  /** Returns whether reads are said to be here and there. */
  static boolean isRandom(IOContext context) {
    return context.randomAccess;
  }

  /** Returns whether a file is written for a flush. */
  public static boolean isFlush(IOContext context) {
    return context.context == IOContext.Context.FLUSH;
  }

  /**
   * Returns how many bytes all files of the merge or flush are expected to have, or 0 if nothing is
   * known: {@code addIndexes} says -1.
   */
  public static long estimatedBytes(IOContext context) {
    MergeInfo merge = context.mergeInfo;
    FlushInfo flush = context.flushInfo;
    if (merge != null) {
      return Math.max(0, merge.estimatedMergeBytes);
    }
    return flush == null ? 0 : flush.estimatedSegmentSize;
  }
}
