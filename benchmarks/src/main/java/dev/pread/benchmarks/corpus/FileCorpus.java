/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All regular files below a folder or in a zip file, in the order of their names. Links are not
 * followed. A file of a folder that cannot be opened is passed over, since a folder of one's own
 * often has a few; one of a zip file means that the zip file is damaged.
 */
final class FileCorpus implements Corpus {
  private final Path path;
  private final Path root;
  private final FileSystem zip;
  private final List<Path> files = new ArrayList<>();
  private volatile int next;

  /**
   * @param path what the user named
   * @param root of the files
   * @param zip that they are in, to be closed; null for a folder
   */
  FileCorpus(Path path, Path root, FileSystem zip) throws IOException {
    this.path = path;
    this.root = root;
    this.zip = zip;
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
  public String name() {
    return path.toString();
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  public SourceText next() throws CorpusException {
    while (next < files.size()) {
      Path file = files.get(next++);
      try (InputStream in = Files.newInputStream(file)) {
        SourceText text = Corpora.text(root.relativize(file).toString(), in);
        if (text != null) {
          return text;
        }
      } catch (IOException e) {
        if (zip != null) {
          throw Corpora.damaged(path, e);
        }
      }
    }
    return null;
  }

  @Override
  public double progress() {
    return files.isEmpty() ? 1 : next / (double) files.size();
  }

  @Override
  public void close() throws IOException {
    if (zip != null) {
      zip.close();
    }
  }
}
