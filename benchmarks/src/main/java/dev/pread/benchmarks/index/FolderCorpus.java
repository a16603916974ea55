/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All regular files below a folder, in the order of their names. Links are not followed, and what
 * cannot be opened is passed over: a folder of one's own often has a few such files.
 */
final class FolderCorpus implements Corpus {
  private final Path root;
  private final List<Path> files = new ArrayList<>();
  private volatile int next;

  FolderCorpus(Path root) throws IOException {
    this.root = root;
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    Collections.sort(files);
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
