/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.FilterIndexInput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.NIOFSDirectory;

/** Directories that fail, for {@code --directories}. */
public final class FaultyDirectories {
  /** The message of the failure of {@link Broken}. */
  public static final String FAULT = "the device is gone";

  private FaultyDirectories() {}

  /** Returns wrong doc values, in an index that opens without complaint. */
  public static final class Lying extends NIOFSDirectory {
    /** Called by its name. */
    public Lying(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      IndexInput in = super.openInput(name, context);
      return name.endsWith(".cfs") || name.endsWith(".dvd")
          ? new FaultyInput(in, in, 0, name.endsWith(".dvd"), value -> (byte) (value ^ 1))
          : in;
    }
  }

  /** Throws on every read of stored fields, in an index that opens without complaint. */
  public static final class Broken extends NIOFSDirectory {
    /** Called by its name. */
    public Broken(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      IndexInput in = super.openInput(name, context);
      Fault fault =
          value -> {
            throw new IOException(FAULT);
          };
      return name.endsWith(".fdt") ? new FaultyInput(in, in, 0, true, fault) : in;
    }
  }

  /** What becomes of a byte. */
  private interface Fault {
    byte apply(byte value) throws IOException;
  }

  /** The header and the footer of the file are read truly: they are checked when it is opened. */
  private static final class FaultyInput extends FilterIndexInput {
    private static final long HEADER = 100;
    private static final long FOOTER = 16;

    /** The whole file, of which this may be a slice. */
    private final IndexInput file;

    private final long start;
    private final boolean faulty;
    private final Fault fault;

    FaultyInput(IndexInput in, IndexInput file, long start, boolean faulty, Fault fault) {
      super(in.toString(), in);
      this.file = file;
      this.start = start;
      this.faulty = faulty;
      this.fault = fault;
    }

    @Override
    public byte readByte() throws IOException {
      long position = start + getFilePointer();
      byte value = super.readByte();
      boolean inside = position >= HEADER && position < file.length() - FOOTER;
      return faulty && inside ? fault.apply(value) : value;
    }

    @Override
    public void readBytes(byte[] bytes, int offset, int length) throws IOException {
      for (int i = 0; i < length; i++) {
        bytes[offset + i] = readByte();
      }
    }

    @Override
    public IndexInput slice(String description, long offset, long length) throws IOException {
      IndexInput slice = super.slice(description, offset, length);
      // The doc values within a compound file are a file by themselves.
      return !faulty && description.endsWith(".dvd")
          ? new FaultyInput(slice, slice, 0, true, fault)
          : new FaultyInput(slice, file, start + offset, faulty, fault);
    }

    @Override
    public FaultyInput clone() {
      return new FaultyInput(in.clone(), file, start, faulty, fault);
    }
  }
}
