/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import java.io.IOException;
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

/** Reads that run out of stack anywhere leave an input that reads on rightly. */
class DeepStackTest {

  private static final int VALUES = 200_000;
  private static final int FAR_VALUE = 100_000;

  @TempDir Path folder;

  private int next;
  private int overflows;

  @Test
  void aBufferThatIsReplacedAtTheEndOfTheStack() throws Exception {
    try (Directory directory =
        Fixtures.directory(folder, PreadConfig.DEFAULT, Fixtures.backend())) {
      try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
        for (int i = 0; i < VALUES; i++) {
          output.writeInt(i);
        }
      }
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
          next = 0;
          Thread reader = new Thread(null, () -> readDeep(clones), "deep", 256 << 10);
          reader.start();
          reader.join();
          for (IndexInput clone : clones) {
            clone.seek((long) FAR_VALUE * Integer.BYTES);
            assertEquals(FAR_VALUE, clone.readInt());
          }
        }
      }
    }
    assertTrue(overflows > 0, "no read met the end of the stack");
  }

  /** Goes down to the end of the stack, and reads with each clone from a little further up. */
  @SuppressWarnings("InfiniteRecursion") // Its end is what is wanted.
  private void readDeep(List<IndexInput> clones) {
    try {
      readDeep(clones);
    } catch (StackOverflowError e) {
      // This is as deep as it goes.
    }
    if (next < clones.size()) {
      IndexInput clone = clones.get(next++);
      try {
        clone.seek((long) FAR_VALUE * Integer.BYTES);
        clone.readInt();
      } catch (StackOverflowError e) {
        overflows++;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
