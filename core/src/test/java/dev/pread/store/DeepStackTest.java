/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MergeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads that run out of stack anywhere leave an input that reads on rightly, and closes that do
 * leave one that can be closed.
 */
class DeepStackTest {

  private static final int VALUES = 200_000;
  private static final int FAR_VALUE = 100_000;

  @TempDir Path folder;

  private int next;
  private int overflows;

  private interface Work {
    void run(int number) throws IOException;
  }

  private static void write(Directory directory) throws IOException {
    try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
      for (int i = 0; i < VALUES; i++) {
        output.writeInt(i);
      }
    }
  }

  @Test
  void aBufferThatIsReplacedAtTheEndOfTheStack() throws Exception {
    try (Directory directory =
        Fixtures.directory(folder, PreadConfig.DEFAULT, Fixtures.backend())) {
      write(directory);
      IOContext merge = LuceneCalls.merge(new MergeInfo(1000, 1000, false, 1));
      try (IndexInput input = directory.openInput("f", merge)) {
        for (int round = 0; round < 20; round++) {
          List<IndexInput> clones = new ArrayList<>();
          for (int i = 0; i < 400; i++) {
            IndexInput clone = input.clone();
            assertEquals(0, clone.readInt());
            LuceneCalls.updateIOContext(clone, Fixtures.RANDOM);
            clones.add(clone);
          }
          runDeep(
              clones.size(),
              number -> {
                IndexInput clone = clones.get(number);
                clone.seek((long) FAR_VALUE * Integer.BYTES);
                clone.readInt();
              });
          for (IndexInput clone : clones) {
            clone.seek((long) FAR_VALUE * Integer.BYTES);
            assertEquals(FAR_VALUE, clone.readInt());
          }
        }
      }
    }
    assertTrue(overflows > 0, "no read met the end of the stack");
  }

  @Test
  void anInputThatIsClosedAtTheEndOfTheStack() throws Exception {
    Backend backend = new Backend(Fixtures.backend().calls());
    BlockCache cache = Fixtures.tinyCache(64, 12);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      write(directory);
      for (int round = 0; round < 10; round++) {
        List<IndexInput> inputs = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
          IndexInput input = directory.openInput("f", IOContext.DEFAULT);
          assertEquals(0, input.readInt());
          inputs.add(input);
        }
        inputs.remove(0).close();
        runDeep(inputs.size(), number -> inputs.get(number).close());
        for (IndexInput input : inputs) {
          input.close();
        }
        assertEquals(0, backend.openFiles());
        assertEquals(0, Fixtures.descriptorsIn(folder));
        assertEquals(0, cache.stats().blocks());
      }
    }
    assertTrue(overflows > 0, "no close met the end of the stack");
    Fixtures.checkAllSlotsCanBeHad(cache);
    cache.close();
  }

  /** It is read into the cache as soon as it is closed. */
  @Test
  void anOutputThatIsClosedAtTheEndOfTheStack() throws Exception {
    Backend backend = new Backend(Fixtures.backend().calls());
    BlockCache cache = Fixtures.tinyCache(1024, 12);
    byte[] content = Fixtures.randomBytes(Fixtures.SEED, 10_000);
    for (int round = 0; round < 10; round++) {
      Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
      List<IndexOutput> outputs = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        IndexOutput output = directory.createOutput("o" + i, Fixtures.FLUSH);
        output.writeBytes(content, content.length);
        outputs.add(output);
      }
      outputs.remove(0).close();
      runDeep(outputs.size(), number -> outputs.get(number).close());
      for (IndexOutput output : outputs) {
        output.close();
      }
      for (String name : directory.listAll()) {
        assertArrayEquals(content, Files.readAllBytes(folder.resolve(name)));
        directory.deleteFile(name);
      }
      assertEquals(0, backend.openFiles());
      assertEquals(0, Fixtures.descriptorsIn(folder));
      assertEquals(0, cache.stats().blocks());
      directory.close();
    }
    assertTrue(overflows > 0, "no close met the end of the stack");
    Fixtures.checkAllSlotsCanBeHad(cache);
    cache.close();
  }

  @Test
  void aFileThatIsOpenedAgainAtTheEndOfTheStack() throws Exception {
    Backend backend = new Backend(Fixtures.backend().calls());
    Path path = Files.write(folder.resolve("f"), new byte[VALUES]);
    SlotCache cache = new SlotCache(64 << 12, 12, new TestMemory(64 << 12, 64 << 12, 1));
    cache.setShortOfMemory(true);
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      for (int round = 0; round < 20; round++) {
        List<MemoryAwareFile> files = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          files.add(new MemoryAwareFile(backend, file, cache));
        }
        assertNotNull(files.get(0).source());
        runDeep(files.size(), number -> files.get(number).source());
        // This runs in another thread: what the first has left locked it could still lock itself.
        Fixtures.inThreads(
            1,
            thread -> {
              for (MemoryAwareFile opened : files) {
                assertNotNull(opened.source());
                opened.close();
              }
            });
        assertEquals(1, backend.openFiles());
      }
    }
    assertEquals(0, Fixtures.descriptorsIn(folder));
    assertTrue(overflows > 0, "no opening met the end of the stack");
    cache.close();
  }

  private void runDeep(int count, Work work) throws InterruptedException {
    next = 0;
    Thread deep = new Thread(null, () -> descend(count, work), "deep", 256 << 10);
    deep.start();
    deep.join();
  }

  /** Goes down to the end of the stack, and does each piece of work from a little further up. */
  @SuppressWarnings("InfiniteRecursion") // Its end is what is wanted.
  private void descend(int count, Work work) {
    try {
      descend(count, work);
    } catch (StackOverflowError e) {
      // This is as deep as it goes.
    }
    if (next < count) {
      int number = next++;
      try {
        work.run(number);
      } catch (StackOverflowError e) {
        overflows++;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
