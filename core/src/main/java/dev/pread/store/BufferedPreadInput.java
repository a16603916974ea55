/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An input that bypasses the cache: its window is a buffer of its own on the heap. It begins where
 * the last one has ended, or else at a multiple of the buffer size, so that reads that go backwards
 * stay inside the window, too.
 *
 * <p>When absolute reads arrive where the cursor has been, or the other way round, both show the
 * same buffer, which then belongs to the first of them that moves on: Lucene reads groups of
 * integers at absolute positions just behind the cursor.
 *
 * <p>{@link #clone} and {@link #slice} read nothing and allocate no buffer. No byte beyond the end
 * of a slice is ever buffered, so none can be returned.
 */
final class BufferedPreadInput extends WindowedPreadInput {

  private static final Access ACCESS = new HeapAccess();

  /** This many reads in a row that do not continue the one before are no accident. */
  private static final int MANY_JUMPS = 8;

  /** How many bytes are read at once where reads jump, or are made again and again. */
  private static final int JUMPING_SIZE = 1 << 10;

  /** How many fills in a row did not continue the one before, up to {@link #MANY_JUMPS}. */
  private int jumps;

  /** Whether reads have often begun where the current run of them did. */
  private boolean beginsOften;

  /** Creates the input of a whole file, which its {@code close} closes. */
  BufferedPreadInput(InputFile file) {
    super(file);
  }

  @Override
  Access access() {
    return ACCESS;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Whether two windows have one buffer is the question.
  void fill(long position, int bytes, long wanted, boolean isHopeless) throws IOException {
    if (twin() instanceof BufferedPreadInput other && other.available(position) >= bytes) {
      moveTo(position);
      showBufferOf(other);
      beginsOften = other.beginsOften;
      return;
    }
    boolean goesOn = lookWhereItBegins(position, bytes);
    jumps = goesOn ? 0 : Math.min(jumps + 1, MANY_JUMPS);
    // What a device reads at once should not be read again for the next part of it.
    int most = Math.max(plan.bufferSize(), file.alignment());
    int reach = isKept() ? Math.min(most, JUMPING_SIZE) : most;
    long start = Math.max(((offset + position) & -reach) - offset, 0);
    if (goesOn || position + bytes > start + reach) {
      start = position;
    }
    int past = (int) (offset + start) & (file.alignment() - 1);
    int upTo = reach - past >= bytes ? reach - past : reach;
    int size = (int) Math.min(upTo, length - start);
    // The window is empty until it is filled, whatever happens in between.
    moveTo(position);
    if (twin() instanceof BufferedPreadInput other && other.array == array) {
      // Its window is empty from now on, too.
      other.moveTo(other.getFilePointer());
      other.array = null;
    }
    // A tiny slice has a tiny buffer, and an earlier plan may have had a smaller one.
    if (array == null || array.length < size) {
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(most, length));
      memory = buffer.order(ByteOrder.LITTLE_ENDIAN);
      array = buffer.array();
    }
    while (true) {
      try {
        if (isKept() && file.blocks() != null) {
          // This is loadRange, whose loop is here so that a miss takes one call less.
          CachedFile blocks = file.blocks();
          int last = blocks.block(offset + start + size - 1);
          for (int block = blocks.block(offset + start); block <= last; block++) {
            if (!blocks.use(block)) {
              int count = last - block + 1;
              blocks.load(block, count, count, file.source());
            }
          }
        }
        file.read(Elements.BYTES, offset + start, array, 0, size);
        break;
      } catch (IOException e) {
        int asked = (int) Math.min(wanted, size);
        if (start == position && size == asked) {
          throw e;
        }
        // Whatever is wrong with bytes that nobody has asked for is no reason to fail a read.
        start = position;
        size = asked;
      }
    }
    setWindow(start, size);
  }

  @Override
  <A> boolean readPast(Elements<A> kind, long position, A dst, int at, int count)
      throws IOException {
    if ((long) count * kind.bytes < plan.bufferSize()) {
      return false;
    }
    lookWhereItBegins(position, kind.bytes);
    if (dst instanceof byte[] && isKept() && file.blocks() != null) {
      file.blocks().loadRange(offset + position, count, file.source());
    }
    file.read(kind, offset + position, dst, at, count);
    return true;
  }

  /**
   * Finds out whether what is read from here on should be kept in the cache. A merge reads each
   * place once or twice. Where reads begin more often, it is a search that makes them, through a
   * reader that {@code IndexWriter} has kept from a merge.
   *
   * @return whether the read goes on where the last one has ended, or not far from there
   */
  private boolean lookWhereItBegins(long position, int bytes) {
    boolean goesOn = goesOn(bytes, plan.bufferSize());
    if (!goesOn) {
      beginsOften = file.countMiss(offset + position);
    }
    return goesOn;
  }

  /**
   * Returns whether what is read is kept in the cache. It is, too, if this input turns out to be
   * read at random, as merges read when they build the graph of their vectors.
   */
  private boolean isKept() {
    return beginsOften || jumps >= MANY_JUMPS;
  }
}
