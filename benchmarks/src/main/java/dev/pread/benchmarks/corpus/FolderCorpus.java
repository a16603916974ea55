/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

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
import java.util.concurrent.atomic.AtomicLong;

/**
 * All regular files below a folder, in the order of their names, links not followed. A file that
 * cannot be opened is passed over: a folder of one's own often has a few.
 */
final class FolderCorpus implements Corpus {
  private final Path root;
  private final List<Path> files;
  private final long totalBytes;
  private int next;
  private final AtomicLong readBytes = new AtomicLong();

  FolderCorpus(Path root) throws IOException {
    this.root = root;
    Walk walk = new Walk();
    Files.walkFileTree(root, walk);
    Collections.sort(walk.files);
    this.files = walk.files;
    this.totalBytes = walk.bytes;
  }

  @Override
  public String name() {
    return root.toString();
  }

  @Override
  public SourceText next() {
    while (next < files.size()) {
      Path file = files.get(next++);
      try (InputStream in = Files.newInputStream(file)) {
        readBytes.addAndGet(Files.size(file));
        SourceText text = TextFiles.read(root.relativize(file).toString(), in);
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
    return totalBytes == 0 ? 1 : Math.min(1, readBytes.doubleValue() / totalBytes);
  }

  @Override
  public void close() {}

  /** Lists the files and adds up their lengths. */
  private static final class Walk extends SimpleFileVisitor<Path> {
    private final List<Path> files = new ArrayList<>();
    private long bytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        files.add(file);
        bytes += attributes.size();
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
