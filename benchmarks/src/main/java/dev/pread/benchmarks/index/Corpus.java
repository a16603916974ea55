/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A stream of text files. Files that are no text, empty, unreadable or larger than 16 MiB are
 * passed over. It is not thread-safe: callers that share one take turns.
 */
public interface Corpus extends Closeable {
  /** Larger files are generated tables and dumps, and would each be held in memory. */
  int MAX_BYTES = 16 << 20;

  /**
   * One text file.
   *
   * @param name its path inside the corpus; a label, not to be resolved against any file system
   * @param content its text
   */
  record Text(String name, String content) {}

  /**
   * The next text, or null at the end.
   *
   * @throws UserError if the corpus turns out to be damaged
   */
  Text next();

  /** How much has been read, between 0 and 1. Any thread may ask. */
  double progress();

  /**
   * Opens a folder, a zip file, or a tar archive, plain or compressed.
   *
   * @throws UserError if there is nothing there, or nothing of that kind
   */
  static Corpus open(Path path) {
    require(path);
    try {
      return Files.isDirectory(path) ? new FolderCorpus(path) : new ArchiveCorpus(path);
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /**
   * Checks that there is something.
   *
   * @throws UserError if not
   */
  static void require(Path path) {
    if (!Files.exists(path)) {
      throw new UserError(
          "corpus " + path + " does not exist: name a folder, a zip or a tar archive of text");
    }
  }

  /**
   * The source text of the JDK that runs this.
   *
   * @throws UserError if it is not installed
   */
  static Path jdkSource() {
    Path source = Path.of(System.getProperty("java.home"), "lib", "src.zip");
    if (!Files.exists(source)) {
      throw new UserError(
          "the default corpus "
              + source
              + " does not exist: install the JDK's source package, or name a text with --corpus");
    }
    return source;
  }

  /** What a user can do about a corpus that cannot be read. */
  static UserError unreadable(Path path, Exception e) {
    return new UserError(
        "corpus " + path + " cannot be read (" + e + "): check that it is whole and yours", e);
  }

  /**
   * Reads a stream to its end, or to the limit whatever length its header claims.
   *
   * @return null if this is no text to index: no text has a zero byte, and nearly every binary does
   */
  static Text read(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    String content = new String(bytes, StandardCharsets.UTF_8);
    return bytes.length == 0 || bytes.length > MAX_BYTES || content.indexOf('\0') >= 0
        ? null
        : new Text(name, content);
  }
}
