/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.EOFException;
import java.io.IOException;
import java.util.Random;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.GroupVIntUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of integers, as postings have them at their ends. */
class GroupVIntTest extends BackendTestCase {

  private static final int COUNT = 40_003;

  private final int[] values = new int[COUNT];

  GroupVIntTest() {
    faults.withoutRecord();
  }

  private long write(Directory directory) throws IOException {
    Random random = new Random(Fixtures.SEED);
    for (int i = 0; i < COUNT; i++) {
      values[i] = random.nextInt() >>> random.nextInt(32);
    }
    try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
      LuceneCalls.writeGroupVInts(output, values);
      return output.getFilePointer();
    }
  }

  private void readAndCheck(IndexInput input) throws IOException {
    assertArrayEquals(values, LuceneCalls.readGroupVInts(input, COUNT));
    assertEquals(input.length(), input.getFilePointer());
    assertThrows(EOFException.class, () -> LuceneCalls.readGroupVInts(input, 4));
  }

  /** A group straddles blocks, which are evicted while it is read. */
  @ParameterizedTest
  @ValueSource(ints = {3, 6, 12})
  void inTheCache(int blockBits) throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(2, blockBits);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      write(directory);
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        readAndCheck(input);
        readAndCheck(input.slice("all", 0, input.length()));
      }
    }
  }

  /** Each place of the file is read once, though Lucene reads groups at absolute positions. */
  @Test
  void pastTheCacheEachPlaceIsReadOnce() throws IOException {
    PreadConfig config = PreadConfig.builder().bufferSize(1024).build();
    try (Directory directory = Fixtures.directory(folder, config, backend)) {
      long length = write(directory);
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        long before = calls();
        readAndCheck(input);
        // A window ends before the group that would straddle its end.
        long windows = length / (1024 - GroupVIntUtil.MAX_LENGTH_PER_GROUP) + 1;
        assertTrue(calls() - before <= windows, calls() - before + " calls for " + windows);
      }
    }
  }

  private long calls() {
    return faults.count(Function.PREAD) + faults.count(Function.PREADV);
  }
}
