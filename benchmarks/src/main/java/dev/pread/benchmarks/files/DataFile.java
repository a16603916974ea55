/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.DataPattern;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.util.IOUtils;

/**
 * Holds a file of {@link DataPattern}, in a folder of its own, open through a directory; close
 * deletes it. Threads read clones of its master.
 */
record DataFile(Path path, Directory directory, IndexInput master) implements Closeable {
  /** Makes a file and opens it through a directory that is named as on the command line. */
  static DataFile make(String directoryName, int mebibytes) throws IOException {
    Path folder = Files.createTempDirectory("lucene-pread-jmh-");
    Path path = folder.resolve("data");
    DataPattern.write(path, (long) mebibytes << 20);
    Directory directory = DirectoryKind.named(directoryName).openForReading(folder);
    return new DataFile(path, directory, directory.openInput("data", IOContext.DEFAULT));
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(master, directory);
    IOUtils.rm(path.getParent());
  }
}
