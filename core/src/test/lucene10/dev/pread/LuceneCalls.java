/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.io.IOException;
import java.util.Set;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.DataInput;
import org.apache.lucene.store.DataOutput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.RandomAccessInput;
import org.apache.lucene.util.GroupVIntUtil;

/**
 * What tests want of Lucene, in the words of this version: its contexts, and the calls that other
 * versions have not got, or have under another name.
 */
public final class LuceneCalls {

  /** Random access. */
  public static final IOContext RANDOM = IOContext.DEFAULT.withHints(DataAccessHint.RANDOM);

  /** Sequential access, more than once. */
  public static final IOContext SEQUENTIAL = IOContext.DEFAULT.withHints(DataAccessHint.SEQUENTIAL);

  /** Wanted in memory from the start. */
  public static final IOContext PRELOAD = IOContext.DEFAULT.withHints(PreloadHint.INSTANCE);

  /** Wanted in memory from the start, and read at random. */
  public static final IOContext PRELOAD_AT_RANDOM =
      IOContext.DEFAULT.withHints(PreloadHint.INSTANCE, DataAccessHint.RANDOM);

  private LuceneCalls() {}

  /** Returns the context of a merge. */
  public static IOContext merge(MergeInfo info) {
    return IOContext.merge(info);
  }

  /** Returns the context of a flush. */
  public static IOContext flush(FlushInfo info) {
    return IOContext.flush(info);
  }

  /** Returns a context that does not tell how much is written. */
  public static IOContext sizeless(IOContext.Context kind) {
    return new Sizeless(kind);
  }

  private record Sizeless(IOContext.Context context) implements IOContext {

    @Override
    public MergeInfo mergeInfo() {
      return null;
    }

    @Override
    public FlushInfo flushInfo() {
      return null;
    }

    @Override
    public Set<FileOpenHint> hints() {
      return Set.of();
    }

    @Override
    public IOContext withHints(FileOpenHint... hints) {
      return this;
    }
  }

  /** Returns what a context is for. */
  public static IOContext.Context kind(IOContext context) {
    return context.context();
  }

  /** Opens a file to compute its checksum. */
  public static ChecksumIndexInput openChecksumInput(Directory directory, String name)
      throws IOException {
    return directory.openChecksumInput(name);
  }

  /** Announces reads. */
  public static void prefetch(IndexInput input, long position, long count) throws IOException {
    input.prefetch(position, count);
  }

  /** Says that an input is read in another way from now on. */
  public static void updateIOContext(IndexInput input, IOContext context) throws IOException {
    input.updateIOContext(context);
  }

  /** Makes a slice with a context of its own. */
  public static IndexInput slice(
      IndexInput input, String description, long offset, long length, IOContext context)
      throws IOException {
    return input.slice(description, offset, length, context);
  }

  /** Reads bytes at an absolute position. */
  public static void readBytes(
      RandomAccessInput input, long position, byte[] dst, int offset, int count)
      throws IOException {
    input.readBytes(position, dst, offset, count);
  }

  /** Has an index checked as thoroughly as there is a way to. */
  public static void checkEverything(CheckIndex check) {
    check.setLevel(CheckIndex.Level.MIN_LEVEL_FOR_SLOW_CHECKS);
  }

  /** Writes groups of integers. */
  public static void writeGroupVInts(DataOutput output, int[] values) throws IOException {
    output.writeGroupVInts(values.clone(), values.length);
  }

  /** Reads groups of integers. */
  public static int[] readGroupVInts(DataInput input, int count) throws IOException {
    int[] values = new int[count];
    GroupVIntUtil.readGroupVInts(input, values, count);
    return values;
  }
}
