/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.apache.lucene.store.MemorySegmentAccessInput;

/**
 * An input in the block cache that gives Lucene segments of it.
 *
 * <p>Lucene scores vectors and decodes postings directly in the cache's memory, with the vector
 * instructions of the processor, as it does in mapped files. Only memory that can't be reused while
 * somebody may look at it is handed out: a stretch of the cache that holds the whole range in one
 * piece, and that stays as it is until the garbage collector has found that neither its segment,
 * nor any slice of it, nor the input that gave it can be reached. {@link Arena#ofAuto} tells when
 * that is so; Lucene has no call that gives a segment back. For everything else the answer is null,
 * and the caller copies. The reasons are in {@code docs/decisions/0007-memory-handed-out.md}.
 */
final class SegmentInput extends CachedPreadInput implements MemorySegmentAccessInput {

  SegmentInput(InputFile file) {
    super(file);
  }

  @Override
  public MemorySegment segmentSliceOrNull(long position, long length) throws IOException {
    if (length == 0) {
      return null;
    }
    MemorySegment segment = (MemorySegment) view(position, length, SegmentInput::segment);
    return segment == null ? null : segment.asSlice(viewOffset(position), length);
  }

  @SuppressWarnings("restricted") // This was checked at linking; see FfmSystemCallsProvider.
  private static MemorySegment segment(ByteBuffer chunk, int base, int size, Runnable release) {
    // The chunk is unmapped when it is unreachable; the action keeps it reachable.
    return MemorySegment.ofBuffer(chunk)
        .asSlice(base, size)
        .reinterpret(Arena.ofAuto(), unreachable -> release.run());
  }

  @Override
  public SegmentInput clone() {
    return (SegmentInput) super.clone();
  }
}
