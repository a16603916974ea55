/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.BackendRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.util.IOUtils;

/** A JVM that runs out of descriptors, for {@link RealFaultsTest}. */
final class FewDescriptors {

  static final String DONE = "done: ";

  private static final String EMFILE_MESSAGE = "EMFILE (24): Too many open files";
  private static final int MORE_THAN_THERE_ARE = 1000;

  private FewDescriptors() {}

  /** The arguments are the folder, the backend, and whether it is for direct I/O. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    NumberedIndex index = new NumberedIndex(Fixtures.SEED);
    AtomicLong acknowledged = new AtomicLong();
    PreadConfig.Builder config = PreadConfig.builder().backend(args[1]);
    int held;
    try (BlockCache cache = new BlockCache(64 << 12, 1 << 12);
        Directory directory =
            KilledWriter.open(folder, config.cache(cache), Boolean.parseBoolean(args[2]))) {
      // This also loads the classes that are needed below, which takes descriptors.
      index.work(directory, 50, acknowledged::set);
      index.check(folder, acknowledged.get());

      List<IndexInput> inputs = new ArrayList<>();
      held = holdAll(directory, inputs, folder);
      // To list a folder, which Lucene does by itself, takes two.
      IOUtils.close(inputs.remove(0), inputs.remove(0));
      Exception reading = assertThrows(Exception.class, () -> DirectoryReader.open(directory));
      assertTold(reading, folder);
      // The lock and one more, so that it fails amid its work.
      IOUtils.close(inputs.remove(0), inputs.remove(0));
      Exception writing =
          assertThrows(Exception.class, () -> index.work(directory, 50, acknowledged::set));
      assertTold(writing, folder);
      IOUtils.close(inputs);

      index.check(folder, acknowledged.get());
      index.work(directory, 50, acknowledged::set);
      NumberedIndex.checkNothingIsLeftOver(directory);
      index.check(folder, acknowledged.get());
    }
    assertEquals(0, BackendRegistry.get(args[1]).openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
    System.out.println(DONE + held + " inputs were open");
  }

  /** Opens one file again and again, until no descriptor is left; returns how many there were. */
  private static int holdAll(Directory directory, List<IndexInput> inputs, Path folder)
      throws Exception {
    String file = directory.listAll()[0];
    Exception refused =
        assertThrows(
            Exception.class,
            () -> {
              while (inputs.size() < MORE_THAN_THERE_ARE) {
                inputs.add(directory.openInput(file, IOContext.DEFAULT));
              }
            });
    assertTold(refused, folder);
    assertTrue(inputs.size() > 10, inputs.size() + " inputs");
    return inputs.size();
  }

  private static void assertTold(Exception thrown, Path folder) {
    if (!NumberedIndex.isTold(
        thrown, folder, EMFILE_MESSAGE + "; this process has too many open files")) {
      throw new AssertionError("EMFILE is not told", thrown);
    }
  }
}
