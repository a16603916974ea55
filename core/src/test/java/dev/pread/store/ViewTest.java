/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.Test;

/** Where inputs get memory from: views of the cache's, and its spare memory when it is closed. */
class ViewTest extends BackendTestCase {

  private static final int BLOCK_BITS = 12;
  private static final int BLOCK = 1 << BLOCK_BITS;

  /** What the collector may not take. */
  private final List<IndexInput> reachable = new ArrayList<>();

  ViewTest() {
    faults.withoutRecord();
  }

  /** A stretch is as long as a chunk: nothing is read in vain for a range that two have. */
  @Test
  void aRangeThatCanNeverBeInOnePieceIsNotReadForAView() throws IOException {
    byte[] data = Fixtures.randomBytes(7, 8 * BLOCK);
    Files.write(folder.resolve("f"), data);
    try (BlockCache cache = Fixtures.tinyCache(64, BLOCK_BITS, 4);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        CachedPreadInput in = (CachedPreadInput) directory.openInput("f", IOContext.DEFAULT)) {
      for (int i = 0; i < 3; i++) {
        assertNull(in.view(0, 8 * BLOCK, (chunk, base, size, release) -> new Object()));
        assertNull(in.view(4 * BLOCK - 1, 2, (chunk, base, size, release) -> new Object()));
      }
      assertEquals(0, faults.count(Function.PREADV));
      // It is read in the background, since somebody would have used it.
      Object[] view = new Object[1];
      Fixtures.awaitCount(
          () -> {
            try {
              view[0] = in.view(4 * BLOCK, 4 * BLOCK, (chunk, base, size, release) -> new Object());
              return view[0] == null ? 0 : 1;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          },
          1);
      assertNotNull(view[0]);
      assertEquals(0, in.viewOffset(4 * BLOCK));
    }
  }

  /** Elasticsearch keeps addresses of a batch of vectors, and no segment, while it scores them. */
  @Test
  void whatWasHandedOutStaysAsLongAsItsInputCanBeReached() throws IOException {
    Files.write(folder.resolve("f.vec"), Fixtures.randomBytes(7, 8 * BLOCK));
    try (BlockCache cache = Fixtures.tinyCache(64, BLOCK_BITS, 4);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        CachedPreadInput in = (CachedPreadInput) directory.openInput("f.vec", Fixtures.MERGE)) {
      reachable.add(in.slice("vectors", BLOCK, 7 * BLOCK));
      List<WeakReference<Object>> views =
          List.of(handedOut(reachable.get(0), 0), handedOut(reachable.get(0), 3 * BLOCK));
      IndexInput clone = reachable.get(0).clone();
      System.gc();
      for (WeakReference<Object> view : views) {
        assertNotNull(view.get(), "the memory may be another block's");
      }
      reachable.set(0, clone);
      System.gc();
      for (WeakReference<Object> view : views) {
        assertNull(view.get(), "it is kept by an input that has not handed it out");
      }
    }
  }

  private static WeakReference<Object> handedOut(IndexInput in, int position) throws IOException {
    Object view =
        ((CachedPreadInput) in).view(position, BLOCK, (chunk, base, size, release) -> new Object());
    assertNotNull(view);
    return new WeakReference<>(view);
  }

  /** It jumps around in its vectors for minutes, so they get room where there is none left. */
  @Test
  void aMergeLooksAtItsVectorsInAFullCache() throws IOException {
    byte[] data = Fixtures.randomBytes(7, 20 * BLOCK - 5);
    Files.write(folder.resolve("hot"), new byte[64 * BLOCK]);
    Files.write(folder.resolve("f.vec"), data);
    try (BlockCache cache = Fixtures.tinyCache(64, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        CachedPreadInput in = (CachedPreadInput) directory.openInput("f.vec", Fixtures.MERGE)) {
      hot.readBytes(new byte[64 * BLOCK], 0, 64 * BLOCK);
      assertEquals(64, cache.stats().blocks());
      Object view =
          in.view(
              0,
              data.length,
              (chunk, base, size, release) -> {
                byte[] bytes = new byte[size];
                chunk.get(base, bytes);
                return bytes;
              });
      assertArrayEquals(data, (byte[]) view);
      assertEquals(64, cache.stats().blocks(), "no more has gone than had to");
    }
  }

  /** There may be many thousands of clones when their cache is closed. */
  @Test
  void withoutACacheTheMemoryOfInputsIsBounded() throws IOException {
    byte[] data = Fixtures.randomBytes(7, 256 << 10);
    Files.write(folder.resolve("f"), data);
    BlockCache cache = Fixtures.tinyCache(64, 16);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput in = directory.openInput("f", IOContext.DEFAULT)) {
      cache.close();
      // What the reads themselves need is there already.
      in.readByte();
      long before = directMemory();
      List<IndexInput> inputs = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        inputs.add(in.slice("long", i, 200_000));
        inputs.add(in.slice("short", i, 10));
      }
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < inputs.size(); i++) {
          int start = i / 2;
          int skip = i % 2 == 0 ? 100_000 : 3;
          IndexInput input = inputs.get(i);
          input.seek(skip);
          assertEquals(data[start + skip], input.readByte());
          assertEquals(data[start + 9], ((RandomAccessInput) input).readByte(9));
          assertEquals(data[start + skip + 1], input.readByte());
        }
      }
      long taken = directMemory() - before;
      assertTrue(taken <= 4 << 20, taken + " bytes of direct memory for 10,000 clones that read");
    }
  }

  /** Clones that go round get their windows back, or read them again: none sees another's. */
  @Test
  void withoutACacheManyThreadsReadWhatIsThere() throws Exception {
    byte[] data = Fixtures.randomBytes(7, 256 << 10);
    Files.write(folder.resolve("f"), data);
    BlockCache cache = Fixtures.tinyCache(64, 16);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput in = directory.openInput("f", IOContext.DEFAULT)) {
      cache.close();
      Fixtures.inThreads(
          8,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            List<IndexInput> clones = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
              clones.add(in.clone());
            }
            byte[] bytes = new byte[50];
            for (int i = 0; i < 20_000; i++) {
              IndexInput clone = clones.get(random.nextInt(clones.size()));
              int position = random.nextInt(data.length - 50);
              if (i % 3 == 0) {
                LuceneCalls.readBytes((RandomAccessInput) clone, position, bytes, 0, 50);
              } else {
                if (i % 3 == 1) {
                  clone.seek(position);
                } else {
                  position = (int) Math.min(clone.getFilePointer(), data.length - 50);
                  clone.seek(position);
                }
                clone.readBytes(bytes, 0, 50);
              }
              assertArrayEquals(Arrays.copyOfRange(data, position, position + 50), bytes);
            }
          });
    }
  }

  /** What an input has read without a cache is as much gone when it is closed. */
  @Test
  void withoutACacheAClosedInputsWindowsAreGone() throws IOException {
    Files.write(folder.resolve("f"), Fixtures.randomBytes(7, 2 * BLOCK));
    BlockCache cache = Fixtures.tinyCache(64, BLOCK_BITS);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput other = directory.openInput("f", IOContext.DEFAULT)) {
      cache.close();
      IndexInput in = directory.openInput("f", IOContext.DEFAULT);
      IndexInput clone = in.clone();
      byte first = clone.readByte();
      assertEquals(first, other.readByte());
      ((RandomAccessInput) clone).readByte(BLOCK);
      in.close();
      assertThrows(AlreadyClosedException.class, clone::readByte);
      assertThrows(
          AlreadyClosedException.class, () -> ((RandomAccessInput) clone).readByte(BLOCK + 1));
      long reads = faults.count(Function.PREAD);
      other.seek(0);
      assertEquals(first, other.readByte());
      assertEquals(reads, faults.count(Function.PREAD), "an input's windows outlive another's");
    }
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
