/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.store.RandomOperations.Cursor;
import dev.pread.store.RandomOperations.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sequences of all operations on inputs, clones and slices, compared with {@link ModelInput}
 * step by step. A failure's message has the seed of its sequence: {@code -Ddev.pread.test.seed}.
 */
class InputModelTest extends BackendTestCase {

  private static final int[] LENGTHS = {
    0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 127, 1000, 1023, 1024, 1025, 4095, 4096, 4097,
    10_000
  };

  private static final int STEPS = 100 * Fixtures.EFFORT;
  private static final int MAX_INPUTS = 10;

  InputModelTest() {
    faults.withoutRecord();
  }

  /** An input and its model. */
  private record Pair(PreadIndexInput real, ModelInput model, boolean derived) {}

  @ParameterizedTest
  @ValueSource(ints = {8, 16, 64, 1024, 4096, 65_536})
  void everySequenceOfOperationsReadsWhatTheModelReads(int bufferSize) throws Exception {
    runAll(bufferSize, STEPS);
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 64, 4096})
  void interruptedAndShortCallsMakeNoDifference(int bufferSize) throws Exception {
    faults.on(Function.PREAD).randomly(Fixtures.SEED, 0.3).fail(Errno.EINTR);
    faults.on(Function.PREAD).randomly(Fixtures.SEED + 1, 0.2).transferAtMost(1);
    faults.on(Function.PREAD).randomly(Fixtures.SEED + 2, 0.9).transferAtMost(29);
    faults.on(Function.PREAD_NO_WAIT).randomly(Fixtures.SEED, 0.5).fail(Errno.EINTR);
    faults.on(Function.FADVISE).randomly(Fixtures.SEED, 0.5).fail(Errno.EINVAL);
    runAll(bufferSize, STEPS / 2);
    assertTrue(faults.count(Function.PREAD) > 3000, "only " + faults.count(Function.PREAD));
  }

  /** The caches hold from one block, which every read evicts, to more than the file. */
  @ParameterizedTest
  @CsvSource({"3, 1", "3, 7", "3, 100000", "6, 3", "6, 40", "6, 4000", "12, 1", "12, 2", "14, 100"})
  void aCacheMakesNoDifference(int blockBits, int blocks) throws Exception {
    long seed = Fixtures.SEED + 31L * blockBits + blocks;
    PreadConfig config = PreadConfig.builder().bufferSize(64).build();
    for (IOContext context : Fixtures.CONTEXTS) {
      for (int length : LENGTHS) {
        seed++;
        try (BlockCache cache = Fixtures.tinyCache(blocks, blockBits)) {
          run(seed, config, cache, length, context, STEPS);
        }
      }
    }
  }

  @Test
  void interruptedAndShortCallsMakeNoDifferenceToACache() throws Exception {
    faults.on(Function.PREADV).randomly(Fixtures.SEED, 0.3).fail(Errno.EINTR);
    faults.on(Function.PREADV).randomly(Fixtures.SEED + 1, 0.2).transferAtMost(1);
    faults.on(Function.PREADV).randomly(Fixtures.SEED + 2, 0.9).transferAtMost(29);
    PreadConfig config = PreadConfig.builder().build();
    for (int blocks : new int[] {1, 5, 1000}) {
      try (BlockCache cache = Fixtures.tinyCache(blocks, 6)) {
        run(Fixtures.SEED + blocks, config, cache, 10_000, IOContext.DEFAULT, 2 * STEPS);
      }
    }
    assertTrue(faults.count(Function.PREADV) > 500, "only " + faults.count(Function.PREADV));
  }

  @Test
  void whatTheDefaultConfigurationReads() throws Exception {
    // The file is larger than read-ahead buffer and scratch buffer together.
    run(Fixtures.SEED, PreadConfig.DEFAULT, 200_001, IOContext.DEFAULT, 4 * STEPS);
    run(Fixtures.SEED + 1, PreadConfig.DEFAULT, 200_001, IOContext.READONCE, 4 * STEPS);
  }

  private void runAll(int bufferSize, int steps) throws Exception {
    long seed = Fixtures.SEED + bufferSize;
    for (IOContext context : Fixtures.CONTEXTS) {
      for (int length : LENGTHS) {
        seed++;
        // The size under test for all contexts, or a larger one for sequential access.
        PreadConfig config =
            Fixtures.sequentialBuffer(
                    PreadConfig.builder().bufferSize(bufferSize),
                    seed % 2 == 0 ? bufferSize : 4 * bufferSize)
                .build();
        run(seed, config, length, context, steps);
      }
      int large = 3 * bufferSize + (int) (seed % 5);
      run(seed * 31, PreadConfig.builder().bufferSize(bufferSize).build(), large, context, steps);
    }
  }

  private void run(long seed, PreadConfig config, int length, IOContext context, int steps)
      throws IOException {
    run(seed, config, Fixtures.NO_CACHE, length, context, steps);
  }

  private void run(
      long seed, PreadConfig config, BlockCache cache, int length, IOContext context, int steps)
      throws IOException {
    byte[] data = Fixtures.randomBytes(seed, length);
    Random random = new Random(seed);
    Path path = Files.write(folder.resolve("f" + seed), data);
    String run =
        "base seed "
            + Fixtures.SEED
            + ", seed="
            + seed
            + ", length="
            + length
            + ", "
            + config
            + ", "
            + cache
            + ", "
            + context;
    try (PreadDirectory directory = Fixtures.directory(folder, config, cache, backend)) {
      run(directory, path, data, context, new Operations(random, config.bufferSize(), steps), run);
    } finally {
      Files.delete(path);
    }
  }

  /** What is to be done to an input, with borders at multiples of {@code unit}. */
  record Operations(Random random, int unit, int steps) {}

  /** Opens {@code path}, with {@code data} in it, and does random operations to it. */
  static void run(
      Directory directory, Path path, byte[] data, IOContext context, Operations what, String run)
      throws IOException {
    Random random = what.random();
    try (PreadIndexInput master =
        (PreadIndexInput) directory.openInput(path.getFileName().toString(), context)) {
      List<Pair> inputs = new ArrayList<>();
      inputs.add(new Pair(master, new ModelInput(data, 0, data.length), false));
      RandomOperations operations = new RandomOperations(random, what.unit());
      for (int step = 0; step < what.steps(); step++) {
        Pair pair = inputs.get(random.nextInt(inputs.size()));
        String where = run + ", step " + step + ", " + pair.real() + ": ";
        if (random.nextInt(12) == 0) {
          derive(random, operations, pair, inputs, where);
        } else {
          compare(pair, operations.next(pair.model()), where);
        }
        if (inputs.size() > MAX_INPUTS) {
          closeClone(inputs.remove(1 + random.nextInt(inputs.size() - 1)), where);
        }
      }
      for (Pair pair : inputs) {
        readAll(pair, run);
      }
    }
  }

  /** Clones or slices an input, or has both refused. */
  private static void derive(
      Random random, RandomOperations operations, Pair pair, List<Pair> inputs, String where)
      throws IOException {
    PreadIndexInput real = pair.real();
    ModelInput model = pair.model();
    int how = random.nextInt(4);
    if (how == 0) {
      inputs.add(new Pair(real.clone(), model.clone(), true));
    } else {
      long offset = operations.position(model);
      long left = model.length() - offset;
      long length = left > 0 && left <= model.length() ? random.nextLong(left + 1) : left;
      length += random.nextInt(20) == 0 ? random.nextLong() : 0;
      String text = where + "slice(" + offset + ", " + length + ")";
      PreadIndexInput slice;
      ModelInput expected;
      try {
        expected = model.slice("s", offset, length);
      } catch (IllegalArgumentException refused) {
        long count = length;
        assertThrows(refused.getClass(), () -> slice(real, how, random, offset, count), () -> text);
        return;
      }
      slice = slice(real, how, random, offset, length);
      assertEquals(0, slice.getFilePointer(), text);
      assertEquals(length, slice.length(), text);
      inputs.add(new Pair(slice, expected, true));
    }
    checkPositions(inputs.get(inputs.size() - 1), where);
    checkPositions(pair, where);
  }

  private static PreadIndexInput slice(
      PreadIndexInput real, int how, Random random, long offset, long length) throws IOException {
    return switch (how) {
      case 1 -> real.slice("s", offset, length);
      case 2 -> real.slice("s", offset, length, Fixtures.CONTEXTS.get(random.nextInt(5)));
      default -> (PreadIndexInput) real.randomAccessSlice(offset, length);
    };
  }

  private static void closeClone(Pair pair, String where) throws IOException {
    assertTrue(pair.derived());
    pair.real().close();
    assertThrows(AlreadyClosedException.class, () -> pair.real().seek(0), where);
    pair.real().close();
  }

  private static void compare(Pair pair, Operation operation, String where) throws IOException {
    PreadIndexInput real = pair.real();
    ModelInput model = pair.model();
    String text = where + operation.text() + " at " + model.getFilePointer();
    long before = model.getFilePointer();
    Object expected;
    Throwable refusal = null;
    try {
      expected = operation.body().apply(model, model.randomAccessSlice(0, model.length()));
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      expected = null;
      refusal = e;
      model.seek(before);
    }
    if (refusal == null) {
      Object actual = outcome(real, real, operation, text);
      assertTrue(Objects.deepEquals(expected, actual), text);
    } else {
      // It is refused again and again.
      for (int i = 0; i < 2; i++) {
        assertThrows(refusal.getClass(), () -> operation.body().apply(real, real), text);
        if (operation.cursor() == Cursor.ANYWHERE_AFTER_FAILURE) {
          real.seek(before);
        }
        checkPositions(pair, text);
      }
    }
    checkPositions(pair, text);
  }

  private static Object outcome(
      IndexInput cursor, RandomAccessInput absolute, Operation operation, String text) {
    try {
      return operation.body().apply(cursor, absolute);
    } catch (IOException | RuntimeException e) {
      throw new AssertionError(text, e);
    }
  }

  private static void checkPositions(Pair pair, String where) {
    assertEquals(pair.model().getFilePointer(), pair.real().getFilePointer(), where);
    assertEquals(pair.model().length(), pair.real().length(), where);
  }

  private static void readAll(Pair pair, String run) throws IOException {
    pair.real().seek(0);
    pair.model().seek(0);
    for (long i = 0; i < pair.model().length(); i++) {
      assertEquals(pair.model().readByte(), pair.real().readByte(), run);
    }
    assertThrows(java.io.EOFException.class, pair.real()::readByte, run);
  }
}
