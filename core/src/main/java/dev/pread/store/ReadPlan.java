/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;

/**
 * How a file, or a slice of one, is read. This is decided once, from the context that Lucene opens
 * it with.
 *
 * @param bufferSize the size of an input's buffer in bytes, a power of two
 * @param advice what the kernel is told about the whole descriptor
 * @param readOnce whether Lucene promises one sequential pass by one thread
 * @param preload whether Lucene wants it in memory from the start
 * @param bypassesCache whether it is read once from end to end, by a merge for example, so that its
 *     blocks are not worth a place in the cache
 */
public record ReadPlan(
    int bufferSize, Advice advice, boolean readOnce, boolean preload, boolean bypassesCache) {

  /**
   * Decides how a file with this context is read. Hints take precedence over the default; merges
   * and flushes, whose contexts carry no hints, are sequential.
   *
   * @param context the context given to {@code openInput} or {@code slice}
   * @param bufferSize the buffer size for random and unknown access, in bytes
   * @param sequentialBufferSize the buffer size for sequential access, in bytes
   * @param randomByDefault whether access is at random if the context does not tell
   */
  public static ReadPlan of(
      IOContext context, int bufferSize, int sequentialBufferSize, boolean randomByDefault) {
    Set<IOContext.FileOpenHint> hints = context.hints();
    Advice advice;
    if (context.context() != IOContext.Context.DEFAULT
        || hints.contains(DataAccessHint.SEQUENTIAL)
        || hints.contains(ReadOnceHint.INSTANCE)) {
      advice = Advice.SEQUENTIAL;
    } else if (randomByDefault || hints.contains(DataAccessHint.RANDOM)) {
      advice = Advice.RANDOM;
    } else {
      advice = Advice.NORMAL;
    }
    return new ReadPlan(
        advice == Advice.SEQUENTIAL ? sequentialBufferSize : bufferSize,
        advice,
        hints.contains(ReadOnceHint.INSTANCE),
        hints.contains(PreloadHint.INSTANCE),
        context.context() != IOContext.Context.DEFAULT || hints.contains(ReadOnceHint.INSTANCE));
  }
}
