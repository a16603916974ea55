/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link InputModelTest} on files that are open for direct I/O: simulated, so that every backend
 * has it and each transfer that does not keep to the alignment is refused, and real, or fallen
 * back, where nothing is simulated.
 */
class DirectInputModelTest extends BackendTestCase {

  private static final int STEPS = 100 * Fixtures.EFFORT;

  DirectInputModelTest() {
    faults.withoutRecord();
  }

  @ParameterizedTest
  @CsvSource({
    "512, 9, 1",
    "512, 9, 7",
    "512, 12, 3",
    "512, 12, 1000",
    "4096, 12, 2",
    "4096, 14, 40",
    "16384, 14, 3",
    "0, 12, 2",
    "0, 12, 1000",
    "0, 14, 5"
  })
  void aCacheOverDirectIoMakesNoDifference(int alignment, int blockBits, int blocks)
      throws Exception {
    faults.simulateDirect(alignment);
    try (BlockCache cache = Fixtures.tinyCache(blocks, blockBits)) {
      runAll(cache, alignment == 0 ? 4096 : alignment, 1 << blockBits, alignment != 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 16384, 0})
  void directIoWithoutACacheMakesNoDifference(int alignment) throws Exception {
    faults.simulateDirect(alignment);
    int unit = alignment == 0 ? 4096 : alignment;
    runAll(Fixtures.NO_CACHE, unit, unit, alignment != 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {32 << 10, 64 << 10, 128 << 10, 1 << 20})
  void whatAlignmentCanNotBeServedIsReadThroughThePageCache(int alignment) throws Exception {
    faults.simulateDirect(alignment);
    try (BlockCache cache = Fixtures.tinyCache(3, 17)) {
      for (BlockCache with : new BlockCache[] {Fixtures.NO_CACHE, cache}) {
        for (IOContext context : Fixtures.CONTEXTS) {
          assertTrue(run(with, alignment, alignment + 70_001, context, Fixtures.SEED, STEPS));
        }
      }
    }
  }

  @Test
  void interruptedAndShortCallsMakeNoDifference() throws Exception {
    faults.simulateDirect(512);
    for (Function function : new Function[] {Function.PREAD, Function.PREADV}) {
      faults.on(function).randomly(Fixtures.SEED, 0.3).fail(Errno.EINTR);
      faults.on(function).randomly(Fixtures.SEED + 1, 0.5).transferAtMost(512);
    }
    try (BlockCache cache = Fixtures.tinyCache(3, 12)) {
      for (IOContext context : Fixtures.CONTEXTS) {
        assertFalse(run(cache, 512, 20_000, context, Fixtures.SEED, STEPS));
        assertFalse(run(Fixtures.NO_CACHE, 512, 20_000, context, Fixtures.SEED, STEPS));
      }
    }
    assertTrue(faults.count(Function.PREAD) > 250, "only " + faults.count(Function.PREAD));
    assertTrue(faults.count(Function.PREADV) > 100, "only " + faults.count(Function.PREADV));
  }

  private void runAll(BlockCache cache, int unit, int block, boolean mustBeDirect)
      throws Exception {
    long seed = Fixtures.SEED + 31L * unit + block;
    // A real device takes so long for its reads that they would be most of this test.
    int steps = cache == Fixtures.NO_CACHE && !mustBeDirect ? STEPS / 4 : STEPS;
    for (IOContext context : Fixtures.CONTEXTS) {
      for (int border : new int[] {0, 512, unit, block, 3 * block, 70_000, 300_000}) {
        for (int length = Math.max(0, border - 1); length <= border + 1; length++) {
          boolean usesPageCache = run(cache, unit, length, context, ++seed, steps);
          assertFalse(mustBeDirect && usesPageCache);
        }
      }
    }
  }

  private boolean run(
      BlockCache cache, int unit, int length, IOContext context, long seed, int most)
      throws IOException {
    byte[] data = Fixtures.randomBytes(seed, length);
    Path path = Files.write(folder.resolve("f" + seed), data);
    PreadConfig config =
        Fixtures.sequentialBuffer(PreadConfig.builder().bufferSize(64), 1024).build();
    String run =
        "seed=" + seed + ", length=" + length + ", " + cache + ", unit=" + unit + ", " + context;
    try (DirectPreadDirectory directory = Fixtures.direct(folder, config, cache, backend)) {
      int steps = length < 100_000 ? most : STEPS / 4;
      InputModelTest.run(
          directory,
          path,
          data,
          context,
          new InputModelTest.Operations(new Random(seed), unit, steps),
          run);
      return directory.usesPageCache();
    } finally {
      Files.delete(path);
    }
  }
}
