/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.LimitedProcess;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * A Debian package of source text, such as that of the Linux kernel: fetched by apt, and read out
 * of the archive in the archive that it is, without unpacking anything to disk.
 */
public final class DebianSource {
  /** The package of Linux. */
  public static final String LINUX = "linux-source-6.12";

  private static final double MAX_DOWNLOAD_SECONDS = 3600;

  private DebianSource() {}

  /**
   * Has apt fetch a package, unless it is there already.
   *
   * @param folder to put it
   * @return the package; null if stopped
   * @throws UserError if apt is missing or fails
   */
  public static Path fetch(String name, Path folder, StopSignal stop)
      throws IOException, UserError {
    Path there = find(name, folder);
    if (there != null) {
      return there;
    }
    LimitedProcess.Ended ended;
    try {
      ended =
          LimitedProcess.run(
              List.of(
                  "sh", "-c", "cd \"$0\" && exec apt-get download \"$1\"", folder.toString(), name),
              null,
              MAX_DOWNLOAD_SECONDS,
              stop);
    } catch (IOException e) {
      throw new UserError(missing("apt-get", e.getMessage()), e);
    }
    if (ended == null) {
      return null;
    }
    there = ended.exit() == 0 ? find(name, folder) : null;
    if (there == null) {
      throw new UserError(
          ended.exit() == 127
              ? missing("apt-get", ended.err())
              : "apt-get download "
                  + name
                  + " failed ("
                  + lastLine(ended.err())
                  + "): run apt-get update, or name a text of yours with --corpus");
    }
    return there;
  }

  private static String missing(String program, String why) {
    return String.format(
        Locale.ROOT,
        "%s is not here (%s): run on Debian, or name a folder or archive with the text with --corpus",
        program,
        lastLine(why));
  }

  private static String lastLine(String text) {
    List<String> lines = text == null ? List.of() : text.strip().lines().toList();
    return lines.isEmpty() ? "no reason given" : lines.get(lines.size() - 1).strip();
  }

  private static Path find(String name, Path folder) throws IOException {
    try (DirectoryStream<Path> packages = Files.newDirectoryStream(folder, name + "_*.deb")) {
      for (Path file : packages) {
        return file;
      }
    }
    return null;
  }

  /**
   * Opens a package that has a tar archive in it.
   *
   * @throws UserError if dpkg is missing, or the package has none or is damaged
   */
  public static Corpus open(Path file) throws UserError {
    Process process;
    try {
      process =
          new ProcessBuilder("dpkg-deb", "--fsys-tarfile", file.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw new UserError(missing("dpkg-deb", e.getMessage()), e);
    }
    boolean opened = false;
    try {
      Corpus corpus = inner(file, process.getInputStream(), process::destroyForcibly);
      opened = true;
      return corpus;
    } catch (IOException e) {
      throw new UserError(Corpora.damaged(file, e).getMessage(), e);
    } finally {
      if (!opened) {
        process.destroyForcibly();
      }
    }
  }

  /**
   * Opens the first tar archive in a tar archive.
   *
   * @param end is run when it is closed
   */
  static Corpus inner(Path name, InputStream outer, Runnable end) throws IOException, UserError {
    TarArchiveInputStream tar = new TarArchiveInputStream(new BufferedInputStream(outer));
    TarArchiveEntry entry;
    while ((entry = tar.getNextEntry()) != null) {
      if (entry.isFile() && entry.getName().matches(".*\\.tar(\\.[a-z0-9]+)?")) {
        Corpus inner = TarCorpus.open(name, tar, entry.getSize(), end);
        if (inner != null) {
          return inner;
        }
      }
    }
    throw new UserError("package " + name + " has no archive of text in it: name another --corpus");
  }
}
