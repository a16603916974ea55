/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.result.Contender;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.IOUtils;

/** Ways that only read into arrays. */
record HeapReadWay(String name) implements NativeWay {

  @Override
  public Contender contender() {
    return name.startsWith(DIRECTORY) ? Contender.ours(name) : Contender.other(name);
  }

  @Override
  public Optional<Reader> open(Path file, int bytes) throws IOException {
    return Optional.of(
        switch (name) {
          case INPUT_STREAM -> new StreamReader(new FileInputStream(file.toFile()));
          case CHANNEL_HEAP -> new ChannelReader(FileChannel.open(file, StandardOpenOption.READ));
          // Without a cache, so that what is measured is the calls.
          case DIRECTORY -> directory(file, 0);
          // With what a user of the directory has: the file is in the cache after its first round.
          case DIRECTORY_CACHED -> directory(file, 2 * Files.size(file));
          default -> throw new IllegalArgumentException(name);
        });
  }

  private static DirectoryReader directory(Path file, long cacheBytes) throws IOException {
    BlockCache cache = new BlockCache(cacheBytes);
    Directory directory =
        new PreadDirectory(
            file.getParent(),
            NoLockFactory.INSTANCE,
            PreadConfig.builder().cache(cache).dropBehind(false).build());
    return new DirectoryReader(
        cache, directory, directory.openInput(file.getFileName().toString(), IOContext.DEFAULT));
  }

  private record StreamReader(FileInputStream in) implements Reader {
    @Override
    public void read(byte[] array, long offset) throws IOException {
      if (offset == 0) {
        in.getChannel().position(0);
      }
      int n = in.readNBytes(array, 0, array.length);
      if (n != array.length) {
        throw new EOFException("read returned " + n + ", not " + array.length);
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private record ChannelReader(FileChannel channel) implements Reader {
    @Override
    public void read(byte[] array, long offset) throws IOException {
      int n = channel.read(ByteBuffer.wrap(array), offset);
      if (n != array.length) {
        throw new EOFException("read returned " + n + ", not " + array.length);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private record DirectoryReader(BlockCache cache, Directory directory, IndexInput in)
      implements Reader {
    @Override
    public void read(byte[] array, long offset) throws IOException {
      if (offset == 0) {
        in.seek(0);
      }
      in.readBytes(array, 0, array.length);
    }

    @Override
    public void close() throws IOException {
      IOUtils.close(in, directory, cache);
    }
  }
}
