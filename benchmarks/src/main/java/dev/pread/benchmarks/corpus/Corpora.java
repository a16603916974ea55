/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens a corpus by what the path holds, not by how it is called. */
public final class Corpora {
  private Corpora() {}

  /**
   * Opens a folder, a zip file, or a tar archive (plain, gz, xz, bz2).
   *
   * @throws UserError if there is nothing there, or nothing of that kind
   */
  public static Corpus open(Path path) throws UserError {
    if (!Files.exists(path)) {
      throw new UserError(
          "corpus " + path + " does not exist: name a folder, a zip or a tar archive of text");
    }
    try {
      if (Files.isDirectory(path)) {
        return new FolderCorpus(path);
      }
      Corpus corpus = isZip(path) ? new ZipCorpus(path) : TarCorpus.open(path);
      if (corpus == null) {
        throw new UserError(
            "corpus " + path + " is neither a folder nor a zip nor a tar archive: name one");
      }
      return corpus;
    } catch (AccessDeniedException e) {
      throw new UserError("corpus " + path + " may not be read: check its permissions", e);
    } catch (IOException e) {
      throw new UserError(damaged(path, e).getMessage(), e);
    }
  }

  /**
   * The source text of the JDK that runs this.
   *
   * @throws UserError if it is not installed
   */
  public static Path jdkSource() throws UserError {
    Path home = Path.of(System.getProperty("java.home"));
    Path source = home.resolve("lib").resolve("src.zip");
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

  /** An archive that begins with a local file header, or an empty one. */
  private static boolean isZip(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] magic = in.readNBytes(4);
      return magic.length == 4
          && magic[0] == 'P'
          && magic[1] == 'K'
          && ((magic[2] == 3 && magic[3] == 4) || (magic[2] == 5 && magic[3] == 6));
    }
  }
}
