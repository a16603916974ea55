/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.io.EOFException;
import java.io.IOException;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;

/**
 * An input over {@code pread(2)}, on one file or a slice of it. This class is what the inputs have
 * in common, whatever they read from.
 *
 * <p><b>Closing.</b> Lucene closes the input it opened and never its clones. So a clone owns
 * nothing; closing a clone closes it alone, and closing the original makes all of them throw {@link
 * AlreadyClosedException}.
 *
 * <p><b>Thread-safety.</b> Only one thread at a time may use an input, as with every {@code
 * IndexInput}; but any number of threads may clone and slice an input that nobody is reading.
 *
 * <p>Positions are relative to the start of the slice; the file position is greater by {@code
 * offset}.
 */
public abstract class PreadIndexInput extends LuceneInput {

  final InputFile file;

  // These are fixed for an input's life, but not final: slices are made by cloning, since the
  // constructor of IndexInput would need its description as one string, built per slice.
  long offset;
  long length;

  /** How this input is read. */
  ReadPlan plan;

  /** Whether Lucene has announced what it reads. */
  boolean isAnnounced;

  private boolean isMaster;
  private PreadIndexInput slicedFrom;
  private String sliceDescription;
  private boolean closed;

  /** Creates the input of a whole file, which its {@code close} closes. */
  PreadIndexInput(InputFile file) {
    super("PreadIndexInput(path=\"" + file.path() + "\")");
    this.file = file;
    this.length = file.length();
    this.isMaster = true;
    this.plan = file.plan();
  }

  /** Forgets the windows and moves the cursor to a position that is known to be legal. */
  abstract void reset(long position);

  /**
   * Forgets what was made for an earlier plan. Neither the window nor the cursor may change: a
   * merge changes the plan of an input that searches clone and slice meanwhile.
   */
  abstract void planChanged();

  /**
   * Lets reads notice that this input is closed. Another thread may be in the middle of a read,
   * though it should not be: that read then returns what it would have returned, or notices. So
   * only the ends of windows may change here.
   */
  abstract void shut();

  @Override
  public final long length() {
    return length;
  }

  @Override
  public final void skipBytes(long count) throws IOException {
    long position = getFilePointer();
    if (count < 0 || count > length - position) {
      throw outOfRange("skip", position, count);
    }
    seek(position + count);
  }

  @Override
  public PreadIndexInput clone() {
    ensureOpen();
    PreadIndexInput clone = (PreadIndexInput) super.clone();
    clone.isMaster = false;
    clone.reset(getFilePointer());
    return clone;
  }

  @Override
  public PreadIndexInput slice(String description, long sliceOffset, long sliceLength)
      throws IOException {
    if ((sliceOffset | sliceLength) < 0 || sliceLength > length - sliceOffset) {
      throw new IllegalArgumentException(
          "slice() " + description + " out of bounds: " + range(sliceOffset, sliceLength));
    }
    PreadIndexInput slice = clone();
    slice.offset = offset + sliceOffset;
    slice.length = sliceLength;
    slice.slicedFrom = this;
    slice.sliceDescription = description;
    slice.reset(0);
    return slice;
  }

  @Override
  public PreadIndexInput slice(
      String description, long sliceOffset, long sliceLength, IOContext context)
      throws IOException {
    PreadIndexInput slice = slice(description, sliceOffset, sliceLength);
    slice.updateIOContext(context);
    if (slice.plan.preload()) {
      file.preload(slice.offset, sliceLength);
    }
    return slice;
  }

  @Override
  public final void updateIOContext(IOContext context) throws IOException {
    ensureOpen();
    plan = file.plan(context);
    isAnnounced = false;
    planChanged();
    // The kernel is told of random and sequential access per descriptor, which a slice shares with
    // all other files of its compound file; the buffer and the preload are its own.
    if (slicedFrom == null) {
      file.changeAdvice(plan);
    }
  }

  @Override
  public final boolean isEfficientFor(IOContext context) {
    // For a slice Lucene would open the whole compound file once more, and slice that.
    return slicedFrom != null || plan.isEfficientFor(file.plan(context));
  }

  @Override
  public final void close() throws IOException {
    closed = true;
    // Reads out of a window look at its limits, not at the flag.
    shut();
    if (isMaster) {
      file.close();
    }
  }

  @Override
  public final String toString() {
    return slicedFrom == null
        ? super.toString()
        : slicedFrom.getFullSliceDescription(sliceDescription);
  }

  final void checkRead(long position, long count) throws IOException {
    ensureOpen();
    if (position < 0 || count > length - position) {
      throw outOfRange("read", position, count);
    }
  }

  final boolean isClosed() {
    return closed || !file.isOpen();
  }

  final void ensureOpen() {
    if (isClosed()) {
      throw file.alreadyClosed(this);
    }
  }

  /**
   * Returns the exception to throw for a range outside the input; a negative position or count is a
   * bug, for which another exception is thrown at once, and so is one for a closed input.
   */
  final EOFException outOfRange(String action, long position, long count) {
    ensureOpen();
    if ((position | count) < 0) {
      throw new IllegalArgumentException(action + " negative " + range(position, count));
    }
    return new EOFException("read past EOF: " + action + " " + range(position, count));
  }

  /** Describes a range and what it was to lie in, for messages. */
  final String range(long position, long count) {
    return "position=" + position + ",count=" + count + ",length=" + length + ": " + this;
  }
}
