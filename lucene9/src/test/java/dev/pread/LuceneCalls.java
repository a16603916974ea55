/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.store.PreadIndexInput;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.DataInput;
import org.apache.lucene.store.DataOutput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.RandomAccessInput;

/**
 * What tests want of Lucene, in the words of this version: its contexts, and the calls that other
 * versions have not got, or have under another name. What this version has not got is asked of our
 * inputs, and changes nothing about others.
 */
public final class LuceneCalls {

  /** Random access. */
  public static final IOContext RANDOM = IOContext.RANDOM;

  /** For what is read more than once; this version has no word for sequential access. */
  public static final IOContext SEQUENTIAL = IOContext.READ;

  /** Wanted in memory from the start, which in this version means read at random, too. */
  public static final IOContext PRELOAD = IOContext.LOAD;

  /** Wanted in memory from the start, and read at random. */
  public static final IOContext PRELOAD_AT_RANDOM = IOContext.LOAD;

  private LuceneCalls() {}

  /** Returns the context of a merge. */
  public static IOContext merge(MergeInfo info) {
    return new IOContext(info);
  }

  /** Returns the context of a flush. */
  public static IOContext flush(FlushInfo info) {
    return new IOContext(info);
  }

  /** Returns a context that tells of no size, which is 0 in this version. */
  public static IOContext sizeless(IOContext.Context kind) {
    return switch (kind) {
      case MERGE -> merge(new MergeInfo(0, 0, false, 1));
      case FLUSH -> flush(new FlushInfo(0, 0));
      default -> new IOContext(kind);
    };
  }

  /** Returns what a context is for. */
  public static IOContext.Context kind(IOContext context) {
    return context.context == IOContext.Context.READ ? IOContext.Context.DEFAULT : context.context;
  }

  /** Opens a file to compute its checksum. */
  public static ChecksumIndexInput openChecksumInput(Directory directory, String name)
      throws IOException {
    return directory.openChecksumInput(name, IOContext.READONCE);
  }

  /** Announces reads. */
  public static void prefetch(IndexInput input, long position, long count) throws IOException {
    if (input instanceof PreadIndexInput ours) {
      ours.prefetch(position, count);
    } else {
      // Ours check the same: tests expect of the model what they see of ours.
      Objects.checkFromIndexSize(position, count, input.length());
    }
  }

  /** Says that an input is read in another way from now on. */
  public static void updateIOContext(IndexInput input, IOContext context) throws IOException {
    if (input instanceof PreadIndexInput ours) {
      ours.updateIOContext(context);
    }
  }

  /** Makes a slice with a context of its own. */
  public static IndexInput slice(
      IndexInput input, String description, long offset, long length, IOContext context)
      throws IOException {
    return ((PreadIndexInput) input).slice(description, offset, length, context);
  }

  /** Reads bytes at an absolute position. */
  public static void readBytes(
      RandomAccessInput input, long position, byte[] dst, int offset, int count)
      throws IOException {
    if (input instanceof PreadIndexInput ours) {
      ours.readBytes(position, dst, offset, count);
    } else {
      // Ours check the same, and refuse even an empty read out of their range.
      if (position < 0) {
        throw new IllegalArgumentException("negative position " + position);
      }
      if (position > input.length()) {
        throw new EOFException("position " + position + " of " + input.length());
      }
      for (int i = 0; i < count; i++) {
        dst[offset + i] = input.readByte(position + i);
      }
    }
  }

  /** Has an index checked as thoroughly as there is a way to. */
  public static void checkEverything(CheckIndex check) {
    check.setDoSlowChecks(true);
  }

  /** Writes groups of integers. */
  public static void writeGroupVInts(DataOutput output, int[] values) throws IOException {
    long[] unsigned = Arrays.stream(values).mapToLong(Integer::toUnsignedLong).toArray();
    output.writeGroupVInts(unsigned, values.length);
  }

  /** Reads groups of integers. */
  public static int[] readGroupVInts(DataInput input, int count) throws IOException {
    long[] unsigned = new long[count];
    input.readGroupVInts(unsigned, count);
    return Arrays.stream(unsigned).mapToInt(value -> (int) value).toArray();
  }
}
