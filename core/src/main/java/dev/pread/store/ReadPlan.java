/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;

/**
 * How a file, or a slice of one, is read: decided once, from the context Lucene opens it with.
 *
 * @param bufferSize bytes of an input's buffer, a power of two
 * @param advice what the kernel is told of the whole descriptor
 * @param readOnce whether Lucene promises one sequential pass by one thread
 * @param preload whether Lucene wants it in memory from the start
 * @param bypassesCache whether it is read once from end to end, by a merge for example, so that its
 *     blocks are not worth a place in the cache
 */
public record ReadPlan(
    int bufferSize, Advice advice, boolean readOnce, boolean preload, boolean bypassesCache) {

  /**
   * Hints win over the default; merges and flushes, whose contexts carry no hints, are sequential.
   *
   * @param context as given to {@code openInput} or {@code slice}
   * @param bufferSize for random and unknown access, bytes
   * @param sequentialBufferSize for sequential access, bytes
   * @param randomByDefault whether access is at random where the context does not tell
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
