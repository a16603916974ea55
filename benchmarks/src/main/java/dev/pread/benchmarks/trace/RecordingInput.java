/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.IOException;
import java.util.Optional;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.apache.lucene.store.ReadOnceHint;

/**
 * Hands every read on and records the blocks that it touched. What follows in the same block, by
 * the cursor or by absolute reads of this input, is not recorded again: an input that has its
 * current block at hand need not ask a cache for it. Clones and slices have a current block of
 * their own, and none at first.
 *
 * <p>Methods that are not overridden, such as {@code readVInt} and {@code readGroupVInt}, are made
 * of the ones that are.
 */
final class RecordingInput extends IndexInput implements RandomAccessInput {
  private static final String MERGE_THREADS = "Lucene Merge Thread";

  private final IndexInput in;
  private final TraceWriter trace;
  private final int file;

  /** Where this slice begins in the file. */
  private final long offset;

  private boolean bypass;
  private long currentBlock = -1;

  /** For absolute reads; made when first needed. */
  private RandomAccessInput absolute;

  RecordingInput(IndexInput in, TraceWriter trace, int file, long offset, boolean bypass) {
    super(in.toString());
    this.in = in;
    this.trace = trace;
    this.file = file;
    this.offset = offset;
    this.bypass = bypass;
  }

  /**
   * Whether a cache need not keep what is read: merges, flushes, what is read once, and what is
   * announced to be read from end to end, as the inputs are that a merge shares with searches.
   */
  static boolean bypasses(IOContext context) {
    return context.context() != IOContext.Context.DEFAULT
        || context.hints().contains(ReadOnceHint.INSTANCE)
        || context.hints().contains(DataAccessHint.SEQUENTIAL);
  }

  private void record(long position, long count) {
    if (count <= 0) {
      return;
    }
    long first = (offset + position) >> TraceFormat.BLOCK_SHIFT;
    long last = (offset + position + count - 1) >> TraceFormat.BLOCK_SHIFT;
    if (first == last && first == currentBlock) {
      return;
    }
    int flags = bypass ? TraceFormat.BYPASS : 0;
    if (Thread.currentThread().getName().startsWith(MERGE_THREADS)) {
      flags |= TraceFormat.MERGE_THREAD;
    }
    for (long block = first == currentBlock ? first + 1 : first; block <= last; block++) {
      trace.access(file, block, flags);
    }
    currentBlock = last;
  }

  // ---- the cursor ----

  @Override
  public byte readByte() throws IOException {
    long position = in.getFilePointer();
    byte value = in.readByte();
    record(position, Byte.BYTES);
    return value;
  }

  @Override
  public short readShort() throws IOException {
    long position = in.getFilePointer();
    short value = in.readShort();
    record(position, Short.BYTES);
    return value;
  }

  @Override
  public int readInt() throws IOException {
    long position = in.getFilePointer();
    int value = in.readInt();
    record(position, Integer.BYTES);
    return value;
  }

  @Override
  public long readLong() throws IOException {
    long position = in.getFilePointer();
    long value = in.readLong();
    record(position, Long.BYTES);
    return value;
  }

  @Override
  public void readBytes(byte[] dst, int dstOffset, int count) throws IOException {
    long position = in.getFilePointer();
    in.readBytes(dst, dstOffset, count);
    record(position, count);
  }

  @Override
  public void readBytes(byte[] dst, int dstOffset, int count, boolean useBuffer)
      throws IOException {
    long position = in.getFilePointer();
    in.readBytes(dst, dstOffset, count, useBuffer);
    record(position, count);
  }

  @Override
  public void readLongs(long[] dst, int dstOffset, int count) throws IOException {
    long position = in.getFilePointer();
    in.readLongs(dst, dstOffset, count);
    record(position, (long) count * Long.BYTES);
  }

  @Override
  public void readInts(int[] dst, int dstOffset, int count) throws IOException {
    long position = in.getFilePointer();
    in.readInts(dst, dstOffset, count);
    record(position, (long) count * Integer.BYTES);
  }

  @Override
  public void readFloats(float[] dst, int dstOffset, int count) throws IOException {
    long position = in.getFilePointer();
    in.readFloats(dst, dstOffset, count);
    record(position, (long) count * Float.BYTES);
  }

  @Override
  public long getFilePointer() {
    return in.getFilePointer();
  }

  @Override
  public void seek(long position) throws IOException {
    in.seek(position);
  }

  @Override
  public void skipBytes(long count) throws IOException {
    in.skipBytes(count);
  }

  @Override
  public long length() {
    return in.length();
  }

  // ---- absolute reads ----

  private RandomAccessInput absolute() throws IOException {
    if (absolute == null) {
      absolute =
          in instanceof RandomAccessInput random ? random : in.randomAccessSlice(0, in.length());
    }
    return absolute;
  }

  @Override
  public byte readByte(long position) throws IOException {
    byte value = absolute().readByte(position);
    record(position, Byte.BYTES);
    return value;
  }

  @Override
  public short readShort(long position) throws IOException {
    short value = absolute().readShort(position);
    record(position, Short.BYTES);
    return value;
  }

  @Override
  public int readInt(long position) throws IOException {
    int value = absolute().readInt(position);
    record(position, Integer.BYTES);
    return value;
  }

  @Override
  public long readLong(long position) throws IOException {
    long value = absolute().readLong(position);
    record(position, Long.BYTES);
    return value;
  }

  @Override
  public void readBytes(long position, byte[] dst, int dstOffset, int count) throws IOException {
    absolute().readBytes(position, dst, dstOffset, count);
    record(position, count);
  }

  // ---- clones, slices, hints ----

  @Override
  public RecordingInput clone() {
    return new RecordingInput(in.clone(), trace, file, offset, bypass);
  }

  @Override
  public RecordingInput slice(String description, long start, long length) throws IOException {
    return new RecordingInput(
        in.slice(description, start, length), trace, file, offset + start, bypass);
  }

  @Override
  public RecordingInput slice(String description, long start, long length, IOContext context)
      throws IOException {
    return new RecordingInput(
        in.slice(description, start, length, context),
        trace,
        file,
        offset + start,
        bypasses(context));
  }

  @Override
  public RecordingInput randomAccessSlice(long start, long length) throws IOException {
    return slice("randomaccess", start, length);
  }

  @Override
  public void prefetch(long position, long count) throws IOException {
    in.prefetch(position, count);
  }

  @Override
  public void updateIOContext(IOContext context) throws IOException {
    in.updateIOContext(context);
    bypass = bypasses(context);
  }

  @Override
  public Optional<Boolean> isLoaded() {
    return in.isLoaded();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
