/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.FilterIndexOutput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.NIOFSDirectory;

/** Directories that fail, for {@code --directories} and {@code --build-with}. */
public final class FaultyDirectories {
  private FaultyDirectories() {}

  /** Returns wrong doc values, in an index that opens without complaint. */
  public static final class Lying extends NIOFSDirectory {
    /** Called by its name. */
    public Lying(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      return new LyingInput(super.openInput(name, context), name.endsWith(".dvd"), 0);
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
      return name.endsWith(".fdt") ? new BrokenInput(in) : in;
    }
  }

  /** A disk with room for some bytes and no more. */
  public static final class Full extends NIOFSDirectory {
    private static final int ROOM = 10_000;

    /** Called by its name. */
    public Full(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexOutput createOutput(String name, IOContext context) throws IOException {
      IndexOutput out = super.createOutput(name, context);
      return new FilterIndexOutput("full " + name, name, out) {
        @Override
        public void writeByte(byte value) throws IOException {
          checkRoom();
          super.writeByte(value);
        }

        @Override
        public void writeBytes(byte[] bytes, int offset, int length) throws IOException {
          checkRoom();
          super.writeBytes(bytes, offset, length);
        }

        private void checkRoom() throws IOException {
          if (getFilePointer() > ROOM) {
            throw new IOException("No space left on device");
          }
        }
      };
    }
  }

  /** Reads through another input, one byte at a time. */
  private abstract static class ByteInput extends IndexInput {
    final IndexInput in;

    ByteInput(IndexInput in) {
      super(in.toString());
      this.in = in;
    }

    @Override
    public void readBytes(byte[] bytes, int offset, int length) throws IOException {
      for (int i = 0; i < length; i++) {
        bytes[offset + i] = readByte();
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
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
    public long length() {
      return in.length();
    }

    @Override
    public abstract IndexInput clone();
  }

  private static final class LyingInput extends ByteInput {
    /** The header and the footer of the file are read truly: they are checked when it is opened. */
    private static final long HEADER = 100;

    private static final long FOOTER = 16;

    private final boolean lies;
    private final long start;

    LyingInput(IndexInput in, boolean lies, long start) {
      super(in);
      this.lies = lies;
      this.start = start;
    }

    @Override
    public byte readByte() throws IOException {
      long position = start + in.getFilePointer();
      byte value = in.readByte();
      boolean inside = position >= HEADER && in.getFilePointer() <= in.length() - FOOTER;
      return lies && (inside || start > 0) ? (byte) (value ^ 1) : value;
    }

    @Override
    public IndexInput slice(String description, long offset, long length) throws IOException {
      boolean compound = !lies && description.endsWith(".dvd");
      return new LyingInput(
          in.slice(description, offset, length), lies || compound, compound ? 0 : start + offset);
    }

    @Override
    public IndexInput clone() {
      return new LyingInput(in.clone(), lies, start);
    }
  }

  private static final class BrokenInput extends ByteInput {
    private static final long HEADER = 100;
    private static final long FOOTER = 16;

    BrokenInput(IndexInput in) {
      super(in);
    }

    @Override
    public byte readByte() throws IOException {
      long position = in.getFilePointer();
      if (position >= HEADER && position < in.length() - FOOTER) {
        throw new IOException("the device is gone");
      }
      return in.readByte();
    }

    @Override
    public IndexInput slice(String description, long offset, long length) throws IOException {
      return new BrokenInput(in.slice(description, offset, length));
    }

    @Override
    public IndexInput clone() {
      return new BrokenInput(in.clone());
    }
  }
}
