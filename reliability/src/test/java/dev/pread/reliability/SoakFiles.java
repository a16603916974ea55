/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;

/**
 * Files that are written, opened, closed, deleted and written again under the same name, while
 * others read them. What a file's bytes are follows from its seed and their position alone. It is
 * thread-safe.
 */
final class SoakFiles implements AutoCloseable {

  private static final int FILES = 12;
  private static final int MAX_LENGTH = 3 << 20;
  private static final FlushInfo FLUSH = new FlushInfo(1, 1 << 20);

  /**
   * One version of a file, open.
   *
   * @param bytes what its bytes follow from
   */
  record OpenFile(String name, long bytes, long length, IndexInput input) {}

  private final Directory directory;
  private final AtomicReferenceArray<OpenFile> files = new AtomicReferenceArray<>(FILES);
  private final ReentrantLock[] locks = new ReentrantLock[FILES];
  private final AtomicLong nextSeed;

  SoakFiles(Directory directory, long seed) throws IOException {
    this.directory = directory;
    this.nextSeed = new AtomicLong(seed);
    Random random = new Random(seed);
    for (int i = 0; i < FILES; i++) {
      locks[i] = new ReentrantLock();
      files.set(i, write(i, random));
    }
  }

  /** Any of the files; it may be closed by now. */
  OpenFile any(Random random) {
    return files.get(random.nextInt(FILES));
  }

  /** Closes a file under its readers, then opens it again. */
  void reopen(Random random) throws IOException {
    change(random, random.nextInt(FILES), false);
  }

  /** Deletes a file under its readers, writes another one of that name, and closes the old one. */
  void rewrite(Random random) throws IOException {
    change(random, random.nextInt(FILES), true);
  }

  private void change(Random random, int i, boolean rewrite) throws IOException {
    if (!locks[i].tryLock()) {
      return;
    }
    try {
      OpenFile old = files.get(i);
      if (rewrite) {
        directory.deleteFile(old.name());
        files.set(i, write(i, random));
        old.input().close();
      } else {
        // Sometimes one of two who have it open closes, sometimes the last.
        boolean together = random.nextBoolean();
        if (!together) {
          old.input().close();
        }
        files.set(i, open(old.name(), old.bytes(), old.length()));
        if (together) {
          old.input().close();
        }
      }
    } finally {
      locks[i].unlock();
    }
  }

  private OpenFile write(int i, Random random) throws IOException {
    String name = "f" + i;
    long bytes = nextSeed.getAndIncrement() * 0x9E3779B97F4A7C15L;
    // Many files are short, and some of these end within a block.
    long length = 16 + (long) (MAX_LENGTH * Math.pow(random.nextDouble(), 4));
    IOContext context = random.nextBoolean() ? IOContext.DEFAULT : IOContext.flush(FLUSH);
    try (IndexOutput output = directory.createOutput(name, context)) {
      for (long position = 0; position + Long.BYTES <= length; position += Long.BYTES) {
        output.writeLong(longAt(bytes, position));
      }
      for (long position = length & -Long.BYTES; position < length; position++) {
        output.writeByte((byte) longAt(bytes, position));
      }
    }
    return open(name, bytes, length);
  }

  private OpenFile open(String name, long bytes, long length) throws IOException {
    return new OpenFile(name, bytes, length, directory.openInput(name, IOContext.DEFAULT));
  }

  /** Returns the eight bytes at a position, little-endian. */
  static long longAt(long bytes, long position) {
    long word = word(bytes, position >> 3);
    int shift = (int) (position & 7) * Byte.SIZE;
    return shift == 0
        ? word
        : (word >>> shift) | (word(bytes, (position >> 3) + 1) << (Long.SIZE - shift));
  }

  /**
   * Returns a number of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
   * generators", 2014).
   */
  private static long word(long bytes, long number) {
    long z = bytes + number * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  @Override
  public void close() throws IOException {
    for (int i = 0; i < FILES; i++) {
      files.get(i).input().close();
      directory.deleteFile(files.get(i).name());
    }
  }
}
