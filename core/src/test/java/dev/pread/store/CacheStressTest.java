/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Backend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many threads read files through a cache that is much too small, while files are closed, opened,
 * deleted and written anew: every eight bytes say which file they belong to and where, so that any
 * byte of another block shows.
 */
class CacheStressTest {

  private static final int NAMES = 5;
  private static final int THREADS = 16;

  @TempDir Path folder;

  private final LongAdder reads = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final LongAdder reopened = new LongAdder();
  private final AtomicInteger nextId = new AtomicInteger(1);

  /** What is open under a name, in three ways that share its blocks, and which file it is. */
  private record Opened(
      PreadIndexInput input, PreadIndexInput atRandom, PreadIndexInput pastCache, int id) {

    PreadIndexInput any(Random random) {
      int i = random.nextInt(4);
      return i == 0 ? pastCache : i == 1 ? atRandom : input;
    }

    void close() throws IOException {
      try (pastCache;
          atRandom) {
        input.close();
      }
    }
  }

  /** Returns a length that is a multiple neither of a block nor of a word. */
  private static int length(int name) {
    return 3001 + 1777 * name;
  }

  private static long word(int id, long position) {
    return ((long) id << 32) | (position >>> 3);
  }

  private static byte byteAt(int id, long position) {
    return (byte) (word(id, position) >>> ((position & 7) * 8));
  }

  private static long longAt(int id, long position) {
    long value = 0;
    for (int i = 7; i >= 0; i--) {
      value = (value << 8) | (byteAt(id, position + i) & 0xFF);
    }
    return value;
  }

  /** Replaces a file by one with other contents: those who have the old one open keep it. */
  private Path write(int name, int id, int thread) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length(name) + 8).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < length(name); i += 8) {
      bytes.putLong(i, word(id, i));
    }
    Path fresh = folder.resolve("fresh" + thread);
    Files.write(fresh, java.util.Arrays.copyOf(bytes.array(), length(name)));
    return Files.move(fresh, folder.resolve("f" + name), StandardCopyOption.REPLACE_EXISTING);
  }

  @ParameterizedTest
  @CsvSource({"1, 6", "4, 6", "16, 6", "4, 9", "16, 10", "64, 9"})
  void noReadEverReturnsAnotherBlocksByte(int blocks, int blockBits) throws Exception {
    try (BlockCache cache = Fixtures.tinyCache(blocks, blockBits)) {
      stress(cache, Integer.MAX_VALUE);
      Fixtures.checkAllSlotsCanBeHad(cache);
    }
  }

  @Test
  void readsGoOnAndStayRightWhenTheCacheIsClosed() throws Exception {
    for (int blocks : new int[] {1, 16, 1000}) {
      BlockCache cache = Fixtures.tinyCache(blocks, 7);
      stress(cache, 200 * Fixtures.EFFORT);
      assertTrue(cache.isClosed());
      assertEquals(0, cache.stats().blocks());
    }
  }

  /**
   * @param closeAfter milliseconds after which the cache is closed
   */
  private void stress(BlockCache cache, int closeAfter) throws Exception {
    long seed = Fixtures.SEED + System.nanoTime();
    System.out.println("CacheStressTest: " + cache + ", seed " + seed);
    Backend backend = new Backend(Fixtures.backend().calls());
    AtomicReferenceArray<Opened> files = new AtomicReferenceArray<>(NAMES);
    int millis = 500 * Fixtures.EFFORT;
    long start = System.nanoTime();
    try (PreadDirectory directory =
        Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      for (int name = 0; name < NAMES; name++) {
        int id = nextId.getAndIncrement();
        write(name, id, THREADS);
        files.set(name, open(directory, name, id));
      }
      Fixtures.inThreads(
          THREADS,
          thread -> {
            Random random = new Random(seed + thread);
            long passed = 0;
            // A machine that has much else to do gets to it later.
            while (passed < millis || (reopened.sum() <= 10 && passed < 60L * millis)) {
              if (thread == 0 && passed >= closeAfter) {
                cache.close();
              }
              if (thread < NAMES) {
                // The only one who changes what is under this name.
                change(directory, files, thread, random);
                Thread.sleep(random.nextInt(3));
              } else {
                read(files, random, "seed " + seed + ", thread " + thread);
              }
              passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            }
            if (thread == 0 && passed >= closeAfter) {
              // Its last turn began before that moment, and lasted until the end.
              cache.close();
            }
          });
      for (int name = 0; name < NAMES; name++) {
        files.get(name).close();
      }
    }
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
    assertTrue(reads.sum() > 100, "reads: " + reads);
    assertTrue(reopened.sum() > 10, "reopened: " + reopened);
  }

  private static Opened open(PreadDirectory directory, int name, int id) throws IOException {
    return new Opened(
        open(directory, name, IOContext.DEFAULT),
        open(directory, name, Fixtures.RANDOM),
        open(directory, name, Fixtures.MERGE),
        id);
  }

  private static PreadIndexInput open(PreadDirectory directory, int name, IOContext context)
      throws IOException {
    return (PreadIndexInput) directory.openInput("f" + name, context);
  }

  private void change(
      PreadDirectory directory, AtomicReferenceArray<Opened> files, int name, Random random)
      throws IOException {
    Opened before = files.get(name);
    int id = before.id();
    if (random.nextInt(3) == 0) {
      id = nextId.getAndIncrement();
      if (random.nextBoolean()) {
        Files.delete(folder.resolve("f" + name));
      }
      write(name, id, name);
    }
    Opened after;
    if (random.nextBoolean()) {
      // Nobody has it open in between: its part in the cache ends.
      before.close();
      after = open(directory, name, id);
    } else {
      after = open(directory, name, id);
      before.close();
    }
    files.set(name, after);
    reopened.increment();
  }

  private void read(AtomicReferenceArray<Opened> files, Random random, String where)
      throws IOException {
    Opened opened = files.get(random.nextInt(NAMES));
    try {
      PreadIndexInput input = opened.any(random);
      long start = 0;
      if (random.nextBoolean()) {
        start = random.nextInt((int) input.length() / 2);
        input = input.slice("s", start, input.length() - start);
      } else {
        input = input.clone();
      }
      for (int i = random.nextInt(100); i >= 0; i--) {
        readOnce(input, opened.id(), start, random, where);
        reads.increment();
      }
    } catch (AlreadyClosedException closed) {
      refusals.increment();
    }
  }

  private static void readOnce(
      PreadIndexInput input, int id, long start, Random random, String where) throws IOException {
    int count = 1 + random.nextInt(150);
    int at = random.nextInt((int) input.length() - 8 * count);
    long position = start + at;
    String text = where + ": file " + id + " at " + position;
    int kind = random.nextInt(13);
    if (kind < 7 && (kind & 1) == 0) {
      input.seek(at);
    }
    switch (kind) {
      case 0 -> assertEquals(byteAt(id, position), input.readByte(), text);
      case 1 -> assertEquals(byteAt(id, position), input.readByte(at), text);
      case 2 -> assertEquals((short) longAt(id, position), input.readShort(), text);
      case 3 -> assertEquals((short) longAt(id, position), input.readShort(at), text);
      case 4 -> assertEquals((int) longAt(id, position), input.readInt(), text);
      case 5 -> assertEquals((int) longAt(id, position), input.readInt(at), text);
      case 6 -> {
        // They are read one after the other, across blocks.
        for (int i = 0; i < count; i++) {
          assertEquals(longAt(id, position + 8L * i), input.readLong(), text);
        }
      }
      case 7 -> assertEquals(longAt(id, position), input.readLong(at), text);
      case 8, 9 -> {
        byte[] bytes = new byte[8 * count];
        if (kind == 8) {
          input.seek(at);
          input.readBytes(bytes, 0, bytes.length);
        } else {
          input.readBytes(at, bytes, 0, bytes.length);
        }
        for (int i = 0; i < bytes.length; i++) {
          assertEquals(byteAt(id, position + i), bytes[i], text);
        }
      }
      case 10 -> {
        long[] longs = new long[count];
        input.seek(at);
        input.readLongs(longs, 0, count);
        for (int i = 0; i < count; i++) {
          assertEquals(longAt(id, position + 8L * i), longs[i], text);
        }
      }
      case 11 -> {
        int[] ints = new int[count];
        input.seek(at);
        input.readInts(ints, 0, count);
        for (int i = 0; i < count; i++) {
          assertEquals((int) longAt(id, position + 4L * i), ints[i], text);
        }
      }
      default -> {
        float[] floats = new float[count];
        input.seek(at);
        input.readFloats(floats, 0, count);
        for (int i = 0; i < count; i++) {
          int expected = (int) longAt(id, position + 4L * i);
          // A signalling NaN may become a quiet one; these words have none.
          assertEquals(expected, Float.floatToRawIntBits(floats[i]), text);
        }
      }
    }
  }
}
