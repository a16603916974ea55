/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.Closeable;
import java.io.IOException;
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
import org.apache.lucene.store.IndexOutput;

/**
 * Where the bytes of a new file go, block by block; closing it may still write some. This needs
 * Java 22. One thread.
 */
interface Sink extends Closeable {
  /** Takes all of an array, which may change afterwards. */
  void write(byte[] block) throws IOException;

  /** A stream without a buffer: arrays as long as a buffer go past it in any case. */
  static Sink stream(Path file) throws IOException {
    OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    return of(out::write, out);
  }

  /** A channel and a buffer on the heap, which is the array itself. */
  static Sink heapBuffer(Path file) throws IOException {
    FileChannel channel = create(file, StandardOpenOption.WRITE);
    return of(block -> writeFully(channel, ByteBuffer.wrap(block)), channel);
  }

  /** A channel and a direct buffer, with a copy from the array to it. */
  static Sink directBuffer(Path file, int bytes) throws IOException {
    FileChannel channel = create(file, StandardOpenOption.WRITE);
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
    return of(block -> writeFully(channel, buffer.clear().put(block).flip()), channel);
  }

  /** A mapping of the whole file; taking it down is part of closing it. */
  static Sink mapped(Path file, long length) throws IOException {
    Arena arena = Arena.ofConfined();
    MemorySegment segment;
    try (FileChannel channel = create(file, StandardOpenOption.READ)) {
      segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
    }
    long[] next = {0};
    return of(
        block -> {
          MemorySegment.copy(block, 0, segment, ValueLayout.JAVA_BYTE, next[0], block.length);
          next[0] += block.length;
        },
        arena::close);
  }

  /** An output of Lucene, and what is to be closed after it. */
  static Sink output(IndexOutput out, Closeable directory) {
    return of(
        block -> out.writeBytes(block, 0, block.length),
        () -> {
          try (directory) {
            out.close();
          }
        });
  }

  /** Writes a block. */
  interface Writer {
    void write(byte[] block) throws IOException;
  }

  private static FileChannel create(Path file, OpenOption more) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, more);
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static Sink of(Writer writer, Closeable resource) {
    return new Sink() {
      @Override
      public void write(byte[] block) throws IOException {
        writer.write(block);
      }

      @Override
      public void close() throws IOException {
        resource.close();
      }
    };
  }
}
