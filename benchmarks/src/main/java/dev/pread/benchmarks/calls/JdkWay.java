/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.result.Contender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** The JDK's own way for each call: {@code Files} and {@code FileChannel} with a direct buffer. */
record JdkWay(String name) implements NativeWay {

  @Override
  public Contender contender() {
    return Contender.other(name);
  }

  @Override
  public Optional<NativeCall> prepare(CallKind kind, Path file) throws IOException {
    return Optional.of(
        switch (kind) {
          case STAT -> () -> Files.readAttributes(file, BasicFileAttributes.class).size();
          case OPEN_FSTAT_CLOSE -> () -> openSizeClose(file);
          case FSTAT -> new Size(FileChannel.open(file, StandardOpenOption.READ));
          case PREAD_8, PREAD_8192 ->
              new Read(
                  FileChannel.open(file, StandardOpenOption.READ),
                  ByteBuffer.allocateDirect(kind.bytes()).order(ByteOrder.LITTLE_ENDIAN));
        });
  }

  private static long openSizeClose(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.size();
    }
  }

  private record Size(FileChannel channel) implements NativeCall {
    @Override
    public long call() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private record Read(FileChannel channel, ByteBuffer buffer) implements NativeCall {
    @Override
    public long call() throws IOException {
      buffer.clear();
      int n = channel.read(buffer, 0);
      if (n != buffer.capacity()) {
        throw new IOException("read returned " + n + ", not " + buffer.capacity());
      }
      return buffer.getLong(0);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
