/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
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
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.util.IOUtils;

/**
 * The text files below a folder or in a zip file, in the order of their names. Links are not
 * followed; files that are no text, empty, unreadable or larger than 16 MiB are passed over. It is
 * not thread-safe: callers that share one take turns.
 */
public final class Corpus implements Closeable {
  /** Larger files are generated tables and dumps, and would each be held in memory. */
  private static final int MAX_BYTES = 16 << 20;

  private final FileSystem zip;
  private final Path root;
  private final List<Path> files;
  private volatile int next;

  private Corpus(FileSystem zip, Path root) throws IOException {
    this.zip = zip;
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

  /**
   * One text file.
   *
   * @param name its path inside the corpus; a label, not to be resolved against any file system
   * @param content its text
   */
  record Text(String name, String content) {}

  /**
   * Opens a folder or a zip file.
   *
   * @throws UserError if there is nothing there, or nothing of that kind
   */
  public static Corpus open(Path path) {
    require(path);
    FileSystem zip = null;
    try {
      if (Files.isDirectory(path)) {
        return new Corpus(null, path);
      }
      zip = FileSystems.newFileSystem(path);
      return new Corpus(zip, zip.getRootDirectories().iterator().next());
    } catch (ProviderNotFoundException e) {
      throw new UserError("corpus " + path + " is neither a folder nor a zip file: name one", e);
    } catch (IOException e) {
      IOUtils.closeWhileHandlingException(zip);
      throw new UserError(
          "corpus " + path + " cannot be read (" + e + "): check that it is whole and yours", e);
    }
  }

  /**
   * Checks that there is something.
   *
   * @throws UserError if not
   */
  public static void require(Path path) {
    if (!Files.exists(path)) {
      throw new UserError(
          "corpus " + path + " does not exist: name a folder or a zip file with text");
    }
  }

  /**
   * The source text of the JDK that runs this.
   *
   * @throws UserError if it is not installed
   */
  public static Path jdkSource() {
    Path source = Path.of(System.getProperty("java.home"), "lib", "src.zip");
    if (!Files.exists(source)) {
      throw new UserError(
          "the default corpus "
              + source
              + " does not exist: install the JDK's source package, or name a text with --corpus");
    }
    return source;
  }

  /** The next text, or null at the end. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  Text next() {
    while (next < files.size()) {
      Path file = files.get(next++);
      try (InputStream in = Files.newInputStream(file)) {
        byte[] bytes = in.readNBytes(MAX_BYTES + 1);
        String content = new String(bytes, StandardCharsets.UTF_8);
        // No text has a zero byte, and nearly every binary does.
        if (bytes.length > 0 && bytes.length <= MAX_BYTES && content.indexOf('\0') < 0) {
          return new Text(root.relativize(file).toString(), content);
        }
      } catch (IOException unreadable) {
        // Passed over, as the class says.
      }
    }
    return null;
  }

  /** How much has been read, between 0 and 1. Any thread may ask. */
  double progress() {
    return files.isEmpty() ? 1 : next / (double) files.size();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(zip);
  }
}
