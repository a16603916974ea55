/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.machine.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.util.IOUtils;

/**
 * Gives the text files below a folder or in a zip file, in the order of their names, in chunks of
 * whole lines, each to be a document: so a few thousand large files make an index of the shape that
 * search applications have. They come once and, up to {@link #limit}, over and over. Links are not
 * followed; files that are no text or unreadable are passed over. Threads take turns.
 */
public final class TextFeed implements Closeable {
  /** Larger files are generated tables and dumps, and would each be held in memory. */
  private static final int MAX_BYTES = 16 << 20;

  private static final int MAX_LINES = 60;

  /** Ends chunks of texts with hardly a line break, such as minified scripts. */
  private static final int MAX_CHARS = 16 << 10;

  private static final double MIN_FILL = 0.95;

  private final FileSystem zip;
  private final Path root;
  private final List<Path> files;
  private final Deque<Chunk> waiting = new ArrayDeque<>();
  private int nextFile;
  private int copy;
  private long cut;
  private long once;
  private long taken;
  private long limit = Long.MAX_VALUE;

  private TextFeed(FileSystem zip, Path root, List<Path> files) {
    this.zip = zip;
    this.root = root;
    this.files = files;
  }

  /**
   * A part of a file, to be a document.
   *
   * @param number of it, from 0, in all copies
   * @param copy of the corpus that it is of, from 0
   * @param file its path inside the corpus: a label, not to be resolved against any file system
   * @param line of the file that is its first, from 1
   */
  public record Chunk(long number, int copy, String file, int line, String text) {}

  /**
   * Opens a folder or a zip file.
   *
   * @throws UserError if it cannot be read
   */
  public static TextFeed open(Path corpus) {
    FileSystem zip = null;
    try {
      zip = Files.isDirectory(corpus) ? null : FileSystems.newFileSystem(corpus);
      Path root = zip == null ? corpus : zip.getPath("/");
      try (Stream<Path> paths = Files.walk(root)) {
        return new TextFeed(
            zip,
            root,
            paths
                .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                .sorted()
                .toList());
      }
    } catch (IOException | UncheckedIOException | ProviderNotFoundException e) {
      IOUtils.closeWhileHandlingException(zip);
      String words = " cannot be read as a folder or a zip file with text (";
      throw new UserError("corpus " + corpus + words + e + "): check that it is whole", e);
    }
  }

  /** Sets an end: after so many chunks, however often that takes the corpus. */
  public synchronized void limit(long chunks) {
    limit = chunks;
  }

  /**
   * Sets another end if what was made of all so far is too little, by how much that is.
   *
   * @param wanted bytes, nearly
   * @return whether there is more to take
   */
  public synchronized boolean extend(long wanted, long made) {
    limit = (long) Math.ceil((double) wanted / made * taken);
    return made < MIN_FILL * wanted;
  }

  /**
   * Returns the next chunk; null after the first copy if there is no limit, and at the limit.
   *
   * @throws UserError if the corpus has no text
   */
  public synchronized Chunk next() {
    while (waiting.isEmpty() && taken < limit) {
      if (nextFile < files.size()) {
        cut(files.get(nextFile++));
      } else if (cut == 0) {
        throw new UserError("the corpus holds no text: name another with --corpus");
      } else if (limit == Long.MAX_VALUE) {
        return null;
      } else {
        copy++;
        nextFile = 0;
      }
    }
    if (taken >= limit) {
      return null;
    }
    taken++;
    return waiting.poll();
  }

  private void cut(Path file) {
    String text = read(file);
    int start = 0;
    int firstLine = 1;
    int line = 1;
    for (int end = 1; end <= text.length(); end++) {
      line += text.charAt(end - 1) == '\n' ? 1 : 0;
      if (line - firstLine >= MAX_LINES || end - start >= MAX_CHARS || end == text.length()) {
        String name = root.relativize(file).toString();
        waiting.add(new Chunk(cut++, copy, name, firstLine, text.substring(start, end)));
        start = end;
        firstLine = line;
      }
    }
    once = copy == 0 ? cut : once;
  }

  private static String read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      String text = new String(bytes, StandardCharsets.UTF_8);
      // No text has a zero byte, and nearly every binary does.
      return bytes.length > MAX_BYTES || text.indexOf('\0') >= 0 ? "" : text;
    } catch (IOException unreadable) {
      return "";
    }
  }

  public synchronized long taken() {
    return taken;
  }

  /** Returns how often the corpus was taken, the last time perhaps not to its end. */
  public synchronized double copies() {
    return taken / (double) once;
  }

  /** Returns how much of all that is to come has come, between 0 and 1. */
  public synchronized double share() {
    return limit < Long.MAX_VALUE
        ? (double) taken / limit
        : nextFile / (double) Math.max(1, files.size());
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(zip);
  }
}
