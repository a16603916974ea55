/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * All regular files below a folder, in the order of their names. Links are not followed, and files
 * that cannot be opened are passed over: a folder of one's own often has a few.
 */
final class FolderCorpus implements Corpus {
  private final Path root;
  private final List<Path> files;
  private volatile int next;

  FolderCorpus(Path root) throws IOException {
    this.root = root;
    try (Stream<Path> paths = Files.walk(root)) {
      files =
          paths
              .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
              .sorted()
              .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  public Text next() {
    while (next < files.size()) {
      Path file = files.get(next++);
      try (InputStream in = Files.newInputStream(file)) {
        Text text = Corpus.read(root.relativize(file).toString(), in);
        if (text != null) {
          return text;
        }
      } catch (IOException unreadable) {
        // Passed over, as the class says.
      }
    }
    return null;
  }

  @Override
  public double progress() {
    return files.isEmpty() ? 1 : next / (double) files.size();
  }

  @Override
  public void close() {}
}
