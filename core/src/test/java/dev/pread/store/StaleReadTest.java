/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.cache.Chunk;
import dev.pread.posix.Backend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each way to read asks whether the block was still there, each time: it is taken away here between
 * two reads, and between being found and being read. No two files have an equal byte at any
 * position, so that one forgotten question shows, and no thread has to be lucky.
 */
class StaleReadTest {

  private static final int BITS = 8;
  private static final int LENGTH = 5 << BITS;

  /**
   * The positions where reads start: in a block with all they want, or with more in the next one.
   */
  private static final long[] POSITIONS = {32, 160};

  @TempDir Path folder;

  private final Backend backend = new Backend(Fixtures.backend().calls());
  private BlockCache cache;
  private PreadDirectory directory;
  private PreadDirectory uncached;
  private PreadIndexInput expected;
  private PreadIndexInput other;

  /** All methods that have a look at the guard of their own. */
  enum Way {
    BYTE {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        input.seek(at);
        return new long[] {input.readByte()};
      }
    },
    SHORT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        input.seek(at);
        return new long[] {input.readShort()};
      }
    },
    INT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        input.seek(at);
        return new long[] {input.readInt()};
      }
    },
    LONG {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        input.seek(at);
        return new long[] {input.readLong()};
      }
    },
    VINT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        input.seek(at);
        return new long[] {input.readVInt(), input.getFilePointer()};
      }
    },
    BYTES {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        byte[] bytes = new byte[192];
        input.seek(at);
        input.readBytes(bytes, 0, bytes.length);
        return widened(bytes);
      }
    },
    LONGS {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        long[] longs = new long[24];
        input.seek(at);
        input.readLongs(longs, 0, longs.length);
        return longs;
      }
    },
    INTS {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        int[] ints = new int[48];
        input.seek(at);
        input.readInts(ints, 0, ints.length);
        return Arrays.stream(ints).asLongStream().toArray();
      }
    },
    FLOATS {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        float[] floats = new float[48];
        input.seek(at);
        input.readFloats(floats, 0, floats.length);
        long[] bits = new long[floats.length];
        for (int i = 0; i < bits.length; i++) {
          bits[i] = Float.floatToIntBits(floats[i]);
        }
        return bits;
      }
    },
    BYTE_AT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        return new long[] {input.readByte(at)};
      }
    },
    SHORT_AT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        return new long[] {input.readShort(at)};
      }
    },
    INT_AT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        return new long[] {input.readInt(at)};
      }
    },
    LONG_AT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        return new long[] {input.readLong(at)};
      }
    },
    BYTES_AT {
      @Override
      long[] read(PreadIndexInput input, long at) throws IOException {
        byte[] bytes = new byte[192];
        input.readBytes(at, bytes, 0, bytes.length);
        return widened(bytes);
      }
    };

    /** Returns what is read at {@code at}. */
    abstract long[] read(PreadIndexInput input, long at) throws IOException;

    private static long[] widened(byte[] bytes) {
      long[] longs = new long[bytes.length];
      for (int i = 0; i < longs.length; i++) {
        longs[i] = bytes[i];
      }
      return longs;
    }
  }

  /** Loses its block whenever it has found one, {@code times} times. */
  private final class Unlucky extends CachedPreadInput {

    private final Access access;

    Unlucky(InputFile file, int times) {
      super(file);
      this.access = new UnluckyAccess(times);
    }

    @Override
    Access access() {
      return access;
    }
  }

  /** Loads values as ever, but has the memory taken away when its address is asked for. */
  private final class UnluckyAccess extends BufferAccess {

    private int times;

    UnluckyAccess(int times) {
      this.times = times;
    }

    @Override
    protected long address(Chunk chunk) {
      if (times > 0) {
        times--;
        takeAway();
      }
      return super.address(chunk);
    }
  }

  @BeforeEach
  void open() throws IOException {
    byte[] bytes = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
    byte[] others = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      others[i] = (byte) (bytes[i] ^ 0x55);
    }
    Files.write(folder.resolve("f"), bytes);
    Files.write(folder.resolve("other"), others);
    cache = Fixtures.tinyCache(1, BITS);
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
    uncached = Fixtures.directory(folder, PreadConfig.DEFAULT, backend);
    expected = open(uncached, "f");
    other = open(directory, "other");
  }

  private static PreadIndexInput open(PreadDirectory from, String name) throws IOException {
    return (PreadIndexInput) from.openInput(name, IOContext.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    other.close();
    expected.close();
    directory.close();
    uncached.close();
    assertEquals(0, backend.openFiles());
    cache.close();
  }

  /** Has the only slot filled with another file's block. */
  private void takeAway() {
    try {
      other.readByte(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aBlockThatIsTakenAwayAfterItWasRead(Way way) throws IOException {
    try (PreadIndexInput input = open(directory, "f")) {
      for (long at : POSITIONS) {
        long[] right = way.read(expected, at);
        assertArrayEquals(right, way.read(input, at));
        // What is read in several windows leaves the last one behind: back to the first.
        way.read(input, 0);
        long before = cache.stats().evictions();
        takeAway();
        assertEquals(before + 1, cache.stats().evictions(), "it was to be taken away");
        assertArrayEquals(right, way.read(input, at), way + " at " + at);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aBlockThatIsTakenAwayBeforeItIsRead(Way way) throws IOException {
    try (PreadIndexInput input = open(directory, "f")) {
      for (int times : new int[] {1, 2, 3, 100}) {
        for (long at : POSITIONS) {
          Unlucky unlucky = new Unlucky(input.file, times);
          long before = cache.stats().evictions();
          String text = way + " at " + at + ", " + times + " times";
          assertArrayEquals(way.read(expected, at), way.read(unlucky, at), text);
          long evictions = cache.stats().evictions() - before;
          // Each time both files have a block loaded. In the end what is wanted is read privately.
          assertTrue(evictions > 0 && evictions < 100, text + ": " + evictions);
        }
      }
    }
  }

  /** A jump to an array in a block that is there is one copy, without a window. */
  @ParameterizedTest
  @EnumSource(names = {"BYTES", "LONGS", "INTS", "FLOATS"})
  void aBlockThatIsTakenAwayBeforeItIsCopied(Way way) throws IOException {
    try (PreadIndexInput opened = open(directory, "f")) {
      long[] right = way.read(expected, 32);
      for (int times : new int[] {1, 2, 3, 100}) {
        PreadIndexInput input = opened.clone();
        // The block is there when it is looked up.
        assertArrayEquals(right, way.read(input, 32));
        Unlucky unlucky = new Unlucky(input.file, times);
        long before = cache.stats().misses();
        assertArrayEquals(right, way.read(unlucky, 32), way + ", " + times + " times");
        assertTrue(cache.stats().misses() > before, "it was to be taken away");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BYTES", "LONGS", "INTS", "FLOATS"})
  void aFileThatIsClosedBeforeItsBlockIsCopied(Way way) throws IOException {
    PreadIndexInput input = open(directory, "f");
    // The block stays, because somebody else has the file open.
    try (PreadIndexInput stays = open(directory, "f")) {
      assertArrayEquals(way.read(expected, 32), way.read(stays, 32));
      PreadIndexInput closing =
          new CachedPreadInput(input.file) {
            @Override
            Access access() {
              // This is asked for between the first look at whether the file is open and the copy.
              assertDoesNotThrow(input::close);
              return new BufferAccess();
            }
          };
      assertThrows(AlreadyClosedException.class, () -> way.read(closing, 32));
      assertArrayEquals(way.read(expected, 32), way.read(stays, 32));
    }
  }

  /** What lies in the cursor's window is read there, as long as the window is what it was. */
  @ParameterizedTest
  @EnumSource(names = {"BYTE_AT", "SHORT_AT", "INT_AT", "LONG_AT"})
  void absoluteReadsInTheWindowOfTheCursor(Way way) throws IOException {
    try (PreadIndexInput opened = open(directory, "f")) {
      for (int turn = 0; turn < 2; turn++) {
        PreadIndexInput input = opened.clone();
        input.seek(8);
        assertEquals(expected.readByte(8), input.readByte());
        long before = cache.stats().hits() + cache.stats().misses();
        assertArrayEquals(way.read(expected, 20), way.read(input, 20));
        assertEquals(before, cache.stats().hits() + cache.stats().misses(), "nothing is looked up");
        assertEquals(9, input.getFilePointer());
        takeAway();
        assertArrayEquals(way.read(expected, 20), way.read(input, 20), "after it was taken away");
        assertEquals(9, input.getFilePointer());
        assertEquals(expected.readByte(9), input.readByte());
      }
    }
  }

  /** Memory of an input's own is its own: a clone that reads elsewhere leaves it alone. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void clonesHaveNoPrivateMemoryInCommon(Way way) throws IOException {
    try (PreadIndexInput input = open(directory, "f")) {
      cache.close();
      long[] right = way.read(expected, 8);
      assertArrayEquals(right, way.read(input, 8));
      way.read(input, 0);
      PreadIndexInput clone = input.clone();
      long elsewhere = 3 << BITS;
      assertArrayEquals(way.read(expected, elsewhere), way.read(clone, elsewhere));
      assertArrayEquals(right, way.read(input, 8), "after its clone has read");
    }
  }
}
