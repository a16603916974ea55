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
      boolean isFaulty = name.endsWith(".dvd") || name.endsWith(".cfs");
      return isFaulty ? new FaultyInput(in, name) : in;
    }
  }

  /** Reads truly by itself, as when it is opened and checked; what is made of it is faulty. */
  private static final class FaultyInput extends FilterIndexInput {
    private final String name;

    FaultyInput(IndexInput in, String name) {
      super(in.toString(), in);
      this.name = name;
    }

    @Override
    public byte readByte() throws IOException {
      byte value = super.readByte();
      return name.isEmpty() ? (byte) (value ^ 1) : value;
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
      if (!name.endsWith(".cfs")) {
        return new FaultyInput(slice, "");
      }
      // The doc values within a compound file are a file by themselves.
      return description.endsWith(".dvd") ? new FaultyInput(slice, ".dvd") : slice;
    }

    @Override
    public FaultyInput clone() {
      return new FaultyInput(in.clone(), "");
    }
  }
}
