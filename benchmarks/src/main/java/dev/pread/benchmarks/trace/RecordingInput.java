/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
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

  /** Of its context; clones and slices take them on. */
  private int flags;

  private long currentBlock = -1;

  /** For absolute reads; made when first needed. */
  private RandomAccessInput absolute;

  RecordingInput(IndexInput in, TraceWriter trace, int file, long offset, int flags) {
    super(in.toString());
    this.in = in;
    this.trace = trace;
    this.file = file;
    this.offset = offset;
    this.flags = flags;
  }

  /** What the trace says of all that is read in a context. */
  static int flags(IOContext context) {
    Set<IOContext.FileOpenHint> hints = context.hints();
    boolean once =
        context.context() != IOContext.Context.DEFAULT || hints.contains(ReadOnceHint.INSTANCE);
    return (once ? TraceFormat.ONCE : 0)
        | (hints.contains(DataAccessHint.SEQUENTIAL) ? TraceFormat.SEQUENTIAL : 0);
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
    boolean merge = Thread.currentThread().getName().startsWith(MERGE_THREADS);
    int now = merge ? flags | TraceFormat.MERGE_THREAD : flags;
    for (long block = first == currentBlock ? first + 1 : first; block <= last; block++) {
      trace.access(file, block, now);
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
    return new RecordingInput(in.clone(), trace, file, offset, flags);
  }

  @Override
  public RecordingInput slice(String description, long start, long length) throws IOException {
    return new RecordingInput(
        in.slice(description, start, length), trace, file, offset + start, flags);
  }

  @Override
  public RecordingInput slice(String description, long start, long length, IOContext context)
      throws IOException {
    return new RecordingInput(
        in.slice(description, start, length, context), trace, file, offset + start, flags(context));
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
    flags = flags(context);
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
