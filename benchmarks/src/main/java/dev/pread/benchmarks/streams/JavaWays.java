/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** What the JDK has. */
final class JavaWays {
  private static final Set<OpenOption> CREATE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  /** A mapping for writing has to be one for reading, too. */
  private static final Set<OpenOption> CREATE_MAPPED =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.READ);

  private JavaWays() {}

  private static EOFException ended(long missing) {
    return new EOFException("the file ends " + missing + " bytes early");
  }

  /**
   * {@code BufferedOutputStream} and {@code BufferedInputStream} of the buffer's size: arrays of
   * that size go past the buffer, as they do in any program that copies so.
   */
  static final class Streams implements StreamWay {
    @Override
    public Sink create(Path file, long length, int buffer) throws IOException {
      OutputStream out =
          new BufferedOutputStream(
              Files.newOutputStream(file, CREATE.toArray(new OpenOption[0])), buffer);
      return new Sink() {
        @Override
        public void write(byte[] block, int count) throws IOException {
          out.write(block, 0, count);
        }

        @Override
        public void close() throws IOException {
          out.close();
        }
      };
    }

    @Override
    public Source open(Path file, int buffer) throws IOException {
      InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()), buffer);
      return new Source() {
        @Override
        public void read(byte[] block, int count) throws IOException {
          int n = in.readNBytes(block, 0, count);
          if (n != count) {
            throw ended(count - n);
          }
        }

        @Override
        public void close() throws IOException {
          in.close();
        }
      };
    }
  }

  /** {@code FileChannel} with a buffer on the heap, which is the array itself. */
  static final class HeapBuffers implements StreamWay {
    @Override
    public Sink create(Path file, long length, int buffer) throws IOException {
      return new ChannelSink(FileChannel.open(file, CREATE), null);
    }

    @Override
    public Source open(Path file, int buffer) throws IOException {
      return new ChannelSource(FileChannel.open(file, StandardOpenOption.READ), null);
    }
  }

  /** {@code FileChannel} with a direct buffer, and a copy between it and the array. */
  static final class DirectBuffers implements StreamWay {
    @Override
    public Sink create(Path file, long length, int buffer) throws IOException {
      return new ChannelSink(FileChannel.open(file, CREATE), ByteBuffer.allocateDirect(buffer));
    }

    @Override
    public Source open(Path file, int buffer) throws IOException {
      return new ChannelSource(
          FileChannel.open(file, StandardOpenOption.READ), ByteBuffer.allocateDirect(buffer));
    }
  }

  private record ChannelSink(FileChannel channel, ByteBuffer direct) implements StreamWay.Sink {
    @Override
    public void write(byte[] block, int count) throws IOException {
      ByteBuffer bytes =
          direct == null
              ? ByteBuffer.wrap(block, 0, count)
              : direct.clear().put(block, 0, count).flip();
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private record ChannelSource(FileChannel channel, ByteBuffer direct) implements StreamWay.Source {
    @Override
    public void read(byte[] block, int count) throws IOException {
      ByteBuffer bytes =
          direct == null ? ByteBuffer.wrap(block, 0, count) : direct.clear().limit(count);
      while (bytes.hasRemaining()) {
        if (channel.read(bytes) < 0) {
          throw ended(bytes.remaining());
        }
      }
      if (direct != null) {
        direct.flip().get(block, 0, count);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** A mapping of the whole file; taking it down is part of closing it. */
  static final class Mapped implements StreamWay {
    @Override
    public Sink create(Path file, long length, int buffer) throws IOException {
      Mapping mapping = new Mapping(file, FileChannel.MapMode.READ_WRITE, length);
      return new Sink() {
        @Override
        public void write(byte[] block, int count) {
          MemorySegment.copy(
              block, 0, mapping.segment, ValueLayout.JAVA_BYTE, mapping.advance(count), count);
        }

        @Override
        public void close() {
          mapping.close();
        }
      };
    }

    @Override
    public Source open(Path file, int buffer) throws IOException {
      Mapping mapping = new Mapping(file, FileChannel.MapMode.READ_ONLY, Files.size(file));
      return new Source() {
        @Override
        public void read(byte[] block, int count) throws IOException {
          long at = mapping.advance(count);
          if (at + count > mapping.segment.byteSize()) {
            throw ended(at + count - mapping.segment.byteSize());
          }
          MemorySegment.copy(mapping.segment, ValueLayout.JAVA_BYTE, at, block, 0, count);
        }

        @Override
        public void close() {
          mapping.close();
        }
      };
    }
  }

  /** A mapped file and how far it has been used. */
  private static final class Mapping {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment;
    private long next;

    Mapping(Path file, FileChannel.MapMode mode, long length) throws IOException {
      Set<OpenOption> options =
          mode.equals(FileChannel.MapMode.READ_ONLY)
              ? Set.of(StandardOpenOption.READ)
              : CREATE_MAPPED;
      try (FileChannel channel = FileChannel.open(file, options)) {
        segment = channel.map(mode, 0, length, arena);
      }
    }

    long advance(int count) {
      long at = next;
      next += count;
      return at;
    }

    void close() {
      arena.close();
    }
  }
}
