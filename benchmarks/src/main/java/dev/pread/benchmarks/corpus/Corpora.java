/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Opens a corpus by what the path holds, and tells its texts from everything else. */
public final class Corpora {
  /** Larger files are generated tables and dumps, and would each be held in memory: left out. */
  private static final int MAX_BYTES = 16 << 20;

  /** As much as is looked at for a zero byte, which no text has and nearly every binary does. */
  private static final int PROBE_BYTES = 8 << 10;

  private static final byte[] ZIP = {'P', 'K'};

  private Corpora() {}

  /**
   * Opens a folder, a zip file, or a tar archive (plain, gz, xz, bz2).
   *
   * @throws UserError if there is nothing there, or nothing of that kind
   */
  public static Corpus open(Path path) throws UserError {
    require(path);
    try {
      if (Files.isDirectory(path)) {
        return new FileCorpus(path, path, null);
      }
      if (isZip(path)) {
        FileSystem zip = FileSystems.newFileSystem(path);
        return new FileCorpus(path, zip.getPath("/"), zip);
      }
      Corpus tar = TarCorpus.open(path);
      if (tar == null) {
        throw new UserError(
            "corpus " + path + " is neither a folder nor a zip nor a tar archive: name one");
      }
      return tar;
    } catch (AccessDeniedException e) {
      throw new UserError("corpus " + path + " may not be read: check its permissions", e);
    } catch (IOException e) {
      throw new UserError(damaged(path, e).getMessage(), e);
    }
  }

  /**
   * Checks that there is something.
   *
   * @throws UserError if not
   */
  public static void require(Path path) throws UserError {
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
  public static Path jdkSource() throws UserError {
    Path source = Path.of(System.getProperty("java.home"), "lib", "src.zip");
    if (!Files.exists(source)) {
      throw new UserError(
          "the default corpus "
              + source
              + " does not exist: install the JDK's source package, or name a text with --corpus");
    }
    return source;
  }

  static CorpusException damaged(Path path, IOException e) {
    String reason = UserError.oneLine(e.getMessage() == null ? e.toString() : e.getMessage());
    return new CorpusException(
        "corpus " + path + " cannot be read (" + reason + "): check that the file is whole", e);
  }

  private static boolean isZip(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return Arrays.equals(in.readNBytes(ZIP.length), ZIP);
    }
  }

  /**
   * Reads a stream to its end, or to the limit whatever length its header claims.
   *
   * @return null if this is no text to index
   */
  static SourceText text(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    boolean binary = false;
    for (int i = 0; i < Math.min(bytes.length, PROBE_BYTES); i++) {
      binary |= bytes[i] == 0;
    }
    return bytes.length == 0 || bytes.length > MAX_BYTES || binary
        ? null
        : new SourceText(name, new String(bytes, StandardCharsets.UTF_8));
  }
}
