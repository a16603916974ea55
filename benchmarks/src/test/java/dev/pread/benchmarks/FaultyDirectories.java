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
    /** It is called by its name. */
    public Lying(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      IndexInput in = super.openInput(name, context);
      Fault fault = value -> (byte) (value ^ 1);
      if (name.endsWith(".dvd")) {
        return FaultyInput.of(in, fault);
      }
      return name.endsWith(".cfs") ? new FaultyInput(in, 0, 0, fault) : in;
    }
  }

  /** Throws on every read of stored fields, in an index that opens without complaint. */
  public static final class Broken extends NIOFSDirectory {
    /** It is called by its name. */
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
      return name.endsWith(".fdt") ? FaultyInput.of(in, fault) : in;
    }
  }

  /** What becomes of a byte. */
  private interface Fault {
    byte apply(byte value) throws IOException;
  }

  /** Bytes between two positions are faulty. */
  private static final class FaultyInput extends FilterIndexInput {
    /** The header and the footer of a file are read truly: they are checked when it is opened. */
    private static final long HEADER = 100;

    private static final long FOOTER = 16;

    private final long from;
    private final long to;
    private final Fault fault;

    FaultyInput(IndexInput in, long from, long to, Fault fault) {
      super(in.toString(), in);
      this.from = from;
      this.to = to;
      this.fault = fault;
    }

    static FaultyInput of(IndexInput file, Fault fault) {
      return new FaultyInput(file, HEADER, file.length() - FOOTER, fault);
    }

    @Override
    public byte readByte() throws IOException {
      long position = getFilePointer();
      byte value = super.readByte();
      return position >= from && position < to ? fault.apply(value) : value;
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
      return from == to && description.endsWith(".dvd")
          ? of(slice, fault)
          : new FaultyInput(slice, from - offset, to - offset, fault);
    }

    @Override
    public FaultyInput clone() {
      return new FaultyInput(in.clone(), from, to, fault);
    }
  }
}
