/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Copies of every length by each way to load values. */
class AccessTest {

  private static final int LENGTH = 100;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private BlockCache cache;
  private PreadDirectory directory;
  private PreadIndexInput opened;

  static Stream<Access> accesses() {
    return Stream.of(new BufferAccess(), new CachedInputs().access(), CachedInputs.best().access());
  }

  @BeforeEach
  void open() throws IOException {
    Files.write(folder.resolve("f"), data);
    cache = Fixtures.tinyCache(4, 12);
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, Fixtures.backend());
    opened = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    opened.close();
    directory.close();
    cache.close();
  }

  private WindowedPreadInput input(Access access) throws IOException {
    WindowedPreadInput input =
        new CachedPreadInput(opened.file) {
          @Override
          Access access() {
            return access;
          }
        };
    assertEquals(data[0], input.readByte(), "and now it has a window");
    return input;
  }

  @ParameterizedTest
  @MethodSource("accesses")
  void copiesTheRangeAndNothingElse(Access access) throws IOException {
    WindowedPreadInput input = input(access);
    for (int count = 0; count <= 70; count++) {
      for (int from = 0; from <= LENGTH - count; from++) {
        byte[] expected = new byte[count + 9];
        System.arraycopy(data, from, expected, 5, count);
        byte[] dst = new byte[count + 9];
        input.seek(from);
        input.readBytes(dst, 5, count);
        assertArrayEquals(expected, dst, count + " bytes from " + from);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("accesses")
  void refusesWhatIsOutOfRangeAndTouchesNothing(Access access) throws IOException {
    WindowedPreadInput input = input(access);
    for (int count : new int[] {0, 1, 3, 7, 8, 20, 32, 33, 60}) {
      byte[] dst = new byte[count];
      for (int offset : new int[] {-1, count + 1, Integer.MAX_VALUE}) {
        input.seek(0);
        assertThrows(IndexOutOfBoundsException.class, () -> input.readBytes(dst, offset, count));
        assertArrayEquals(new byte[count], dst, "offset " + offset);
      }
    }
  }

  /** On Java 21 values are loaded by address, unless somebody has forbidden it. */
  @Test
  void java21ReadsByAddress() {
    assertEquals(
        Runtime.version().feature() == 21,
        new CachedInputs().access() instanceof UnsafeAccess,
        Runtime.version().toString());
  }
}
