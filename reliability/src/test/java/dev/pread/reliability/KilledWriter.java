/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;

/**
 * The JVM that {@link KillTest} kills: it indexes for ever, and says of each commit that it has
 * returned. It ends with its parent, whose end of the standard input closes with it.
 */
final class KilledWriter {

  static final String OPENING = "opening";
  static final String COMMITTED = "committed ";

  private KilledWriter() {}

  /** The arguments are the folder, the seed, the backend, and whether it is for direct I/O. */
  public static void main(String[] args) throws IOException {
    Thread parent = new Thread(KilledWriter::endWithParent, "parent");
    parent.setDaemon(true);
    parent.start();
    PreadConfig.Builder config = PreadConfig.builder().backend(args[2]);
    try (BlockCache cache = new BlockCache(64 << 12, 1 << 12);
        Directory directory =
            open(Path.of(args[0]), config.cache(cache), Boolean.parseBoolean(args[3]))) {
      say(OPENING);
      new NumberedIndex(Long.parseLong(args[1]))
          .work(directory, Integer.MAX_VALUE, number -> say(COMMITTED + number));
    }
  }

  /** Returns a directory that has little room in its cache, and writes directly what it can. */
  static Directory open(Path folder, PreadConfig.Builder builder, boolean direct)
      throws IOException {
    PreadConfig config = Fixtures.writeBuffer(builder, 1 << 12).directWriteMinSize(0).build();
    return direct
        ? new DirectPreadDirectory(folder, FSLockFactory.getDefault(), config)
        : new PreadDirectory(folder, FSLockFactory.getDefault(), config);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // The parent says nothing.
      }
    } catch (IOException e) {
      // It is gone, too.
    }
    Runtime.getRuntime().halt(3);
  }
}
