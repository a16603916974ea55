/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOUtils;

/** A file of random bytes in a folder of its own, open through a directory; deleted by close. */
final class DataFile implements Closeable {

  private static final String NAME = "data";

  private final Path folder;
  private final Directory directory;
  private final IndexInput master;

  /**
   * @param directoryName as the command line takes it
   * @param mebibytes the length of the file; small enough to stay in the page cache
   */
  DataFile(String directoryName, int mebibytes) throws IOException, UserError {
    folder = Files.createTempDirectory("lucene-pread-jmh-");
    directory = DirectoryKind.named(directoryName).openForReading(folder);
    byte[] chunk = new byte[1 << 20];
    SplittableRandom random = new SplittableRandom(42);
    try (IndexOutput out = directory.createOutput(NAME, IOContext.DEFAULT)) {
      for (int i = 0; i < mebibytes; i++) {
        random.nextBytes(chunk);
        out.writeBytes(chunk, chunk.length);
      }
    }
    master = directory.openInput(NAME, IOContext.DEFAULT);
  }

  Path path() {
    return folder.resolve(NAME);
  }

  /** The input all threads clone. */
  IndexInput master() {
    return master;
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(master, directory);
    IOUtils.rm(folder);
  }
}
