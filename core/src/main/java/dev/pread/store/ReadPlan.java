/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import java.util.regex.Pattern;
import org.apache.lucene.store.IOContext;

/**
 * Says how a file, or a slice of one, is read. This is decided here and nowhere else, from the
 * file's name and length and from the context that Lucene opens it with.
 *
 * @param bufferSize the size in bytes of an input's buffer, if it has one; a power of two
 * @param advice what the kernel is told about the whole descriptor
 * @param preload whether Lucene wants it in memory from the start
 * @param onePass whether it is opened to be read once from end to end, by a merge for example, so
 *     that it is read ahead and its blocks are not worth a place in the cache
 * @param inCache whether it is read in the cache all the same, or because it will be searched
 * @param dropBehind whether its pages leave the page cache at close, if they were not there before
 */
public record ReadPlan(
    int bufferSize,
    Advice advice,
    boolean preload,
    boolean onePass,
    boolean inCache,
    boolean dropBehind) {

  /**
   * Below this length a file that is read once is left in the page cache: it is metadata that the
   * next reopen needs again.
   */
  private static final long DROP_BEHIND_MIN_LENGTH = 1 << 20;

  /**
   * What a merge jumps around in millions of times, while it builds the graph of its vectors:
   * vectors and what is made from them, in {@code .vec}, {@code .veq}, {@code .vex} and so on, and
   * in temporary files. A merge's context does not tell, but names do.
   */
  private static final Pattern JUMPED_IN = Pattern.compile("\\.(ve[a-z]|tmp)$");

  /**
   * Holds what a directory's configuration says about all files.
   *
   * @param bufferSize the buffer size for random and unknown access, in bytes
   * @param sequentialBufferSize the buffer size for sequential access, in bytes
   * @param randomByDefault whether access is at random if the context does not tell
   * @param dropBehind whether large files that are read once leave the page cache at close
   */
  public record Defaults(
      int bufferSize, int sequentialBufferSize, boolean randomByDefault, boolean dropBehind) {}

  /**
   * Decides how a file is read. Hints take precedence over the default; merges and flushes, whose
   * contexts carry no hints, are sequential.
   *
   * @param name the file's name without its folder
   * @param length the file's length in bytes
   * @param context the context given to {@code openInput} or {@code slice}
   */
  static ReadPlan of(Defaults defaults, String name, long length, IOContext context) {
    boolean readOnce = LuceneContext.isReadOnce(context);
    boolean onePass = readOnce || LuceneContext.isOfWriter(context);
    Advice advice;
    if (onePass || LuceneContext.isSequential(context)) {
      advice = Advice.SEQUENTIAL;
    } else if (defaults.randomByDefault() || LuceneContext.isRandom(context)) {
      advice = Advice.RANDOM;
    } else {
      advice = Advice.NORMAL;
    }
    return new ReadPlan(
        advice == Advice.SEQUENTIAL ? defaults.sequentialBufferSize() : defaults.bufferSize(),
        advice,
        !onePass && LuceneContext.isPreload(context),
        onePass,
        !onePass || (!readOnce && JUMPED_IN.matcher(name).find()),
        readOnce && defaults.dropBehind() && length >= DROP_BEHIND_MIN_LENGTH);
  }

  /**
   * Returns whether what is read as another plan says may be read by an input with this plan: once
   * or often, in the cache or not, and read ahead or not, as that one.
   */
  boolean isEfficientFor(ReadPlan other) {
    return onePass == other.onePass
        && inCache == other.inCache
        && (advice == Advice.SEQUENTIAL) == (other.advice == Advice.SEQUENTIAL);
  }

  /** Returns whether it is what a merge jumps around in, and reads again and again. */
  boolean isJumpedIn() {
    return onePass && inCache;
  }

  /** Returns whether an input in the cache is read a little here and a little there. */
  boolean atRandom() {
    return isJumpedIn() || (inCache && advice == Advice.RANDOM);
  }
}
