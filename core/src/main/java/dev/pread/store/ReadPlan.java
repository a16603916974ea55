/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadAdvice;
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
   * @param readAheadSize for sequential access, bytes
   * @param defaultAdvice for a context that does not tell
   */
  public static ReadPlan of(
      IOContext context, int bufferSize, int readAheadSize, ReadAdvice defaultAdvice) {
    Set<IOContext.FileOpenHint> hints = context.hints();
    ReadAdvice advice;
    if (context.context() != IOContext.Context.DEFAULT
        || hints.contains(DataAccessHint.SEQUENTIAL)
        || hints.contains(ReadOnceHint.INSTANCE)) {
      advice = ReadAdvice.SEQUENTIAL;
    } else if (hints.contains(DataAccessHint.RANDOM)) {
      advice = ReadAdvice.RANDOM;
    } else {
      advice = defaultAdvice;
    }
    return new ReadPlan(
        advice == ReadAdvice.SEQUENTIAL ? readAheadSize : bufferSize,
        switch (advice) {
          case NORMAL -> Advice.NORMAL;
          case RANDOM -> Advice.RANDOM;
          case SEQUENTIAL -> Advice.SEQUENTIAL;
        },
        hints.contains(ReadOnceHint.INSTANCE),
        hints.contains(PreloadHint.INSTANCE),
        context.context() != IOContext.Context.DEFAULT || hints.contains(ReadOnceHint.INSTANCE));
  }
}
