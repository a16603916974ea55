/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Positional reads of one {@link FileChannel}: into a direct buffer and a copy, or a heap one. */
final class ChannelSource implements Source {
  private final FileChannel channel;
  private final int bytes;
  private final boolean direct;

  ChannelSource(Path file, int bytes, boolean direct) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.bytes = bytes;
    this.direct = direct;
  }

  @Override
  public BlockReader reader() {
    return direct ? new Direct(channel, ByteBuffer.allocateDirect(bytes)) : new Heap(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static void fill(FileChannel channel, ByteBuffer buffer, long position)
      throws IOException {
    long next = position;
    while (buffer.hasRemaining()) {
      int n = channel.read(buffer, next);
      if (n < 0) {
        throw new EOFException("the file ends at " + next);
      }
      next += n;
    }
  }

  private record Direct(FileChannel channel, ByteBuffer buffer) implements BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      buffer.clear().limit(into.length);
      fill(channel, buffer, position);
      buffer.flip().get(into);
    }
  }

  private static final class Heap implements BlockReader {
    private final FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    Heap(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The very same array has its buffer already.
    public void read(long position, byte[] into) throws IOException {
      if (buffer.array() != into) {
        buffer = ByteBuffer.wrap(into);
      }
      fill(channel, buffer.clear(), position);
    }
  }
}
