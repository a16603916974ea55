/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.BackendUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Loads the library of {@link LinuxCalls}: from the file that {@code -Ddev.pread.jni.library}
 * names, or else from the jar.
 *
 * <p>The library in the jar has to be a file for the time it takes to load it. Others may write to
 * the folder for temporary files, so the name of that file can't be guessed, nobody else may open
 * it, what is written goes into the very file that was created, and the file is gone before the
 * library is used.
 */
final class NativeLibrary {

  /** The system property that names the library's file. */
  static final String PROPERTY = "dev.pread.jni.library";

  private static final String FILE = "libpread_jni.so";

  private NativeLibrary() {}

  /**
   * Loads the library for the class loader of this class.
   *
   * @throws BackendUnavailableException if that is not possible; the message names the platform and
   *     what to do about it
   */
  static void load() throws BackendUnavailableException {
    String given = System.getProperty(PROPERTY, "").strip();
    if (given.isEmpty()) {
      loadFromJar(platform(System.getProperty("os.name", ""), System.getProperty("os.arch", "")));
    } else {
      loadGiven(Path.of(given));
    }
    checkVersion();
  }

  /**
   * Returns the name of a platform that the jar may have a library for, such as {@code
   * linux-x86_64}.
   */
  static String platform(String os, String architecture) throws BackendUnavailableException {
    String processor =
        switch (architecture) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64" -> "aarch64";
          default -> null;
        };
    if (processor == null || !os.toLowerCase(Locale.ROOT).equals("linux")) {
      throw new BackendUnavailableException(
          "it knows Linux on x86-64 and aarch64, and this is " + os + " on " + architecture);
    }
    return "linux-" + processor;
  }

  private static void loadGiven(Path file) throws BackendUnavailableException {
    String what = file + ", which -D" + PROPERTY + " names,";
    if (!Files.isRegularFile(file)) {
      throw new BackendUnavailableException(
          what + " is no file: name the library of " + here() + ", or leave the property out");
    }
    loadFile(
        file,
        what,
        "check that it is the library for "
            + here()
            + ", or leave the property out, as has to be done where several class loaders load it");
  }

  private static void loadFromJar(String platform) throws BackendUnavailableException {
    try (InputStream library = NativeLibrary.class.getResourceAsStream(platform + "/" + FILE)) {
      if (library == null) {
        throw new BackendUnavailableException(
            "this lucene-pread-jni has no library for "
                + platform
                + ": take that of a release, which has both, or lucene-pread-ffi on Java 22 and later,"
                + " or name a library with -D"
                + PROPERTY
                + "=FILE");
      }
      loadCopy(library, platform, Files.createTempFile("lucene-pread-", ".so"));
    } catch (IOException e) {
      throw new BackendUnavailableException(
          "the library for "
              + platform
              + " can't be unpacked into the folder for temporary files: "
              + e
              + "; name a writable folder with -Djava.io.tmpdir, or the library itself with -D"
              + PROPERTY
              + "=FILE",
          e);
    }
  }

  /**
   * Loads a library by way of a file.
   *
   * @param file is empty, and deleted once the library is loaded or can't be
   */
  static void loadCopy(InputStream library, String platform, Path file)
      throws IOException, BackendUnavailableException {
    try {
      // Files.copy is not used because it would delete that file and create another.
      try (OutputStream out =
          Files.newOutputStream(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
        library.transferTo(out);
      }
      loadFile(
          file,
          "the library for " + platform,
          "where "
              + file.getParent()
              + " is mounted noexec, name another folder with -Djava.io.tmpdir, or the library"
              + " itself with -D"
              + PROPERTY
              + "=FILE");
    } finally {
      deleteQuietly(file);
    }
  }

  /**
   * Deletes a file, or leaves it: a library that is loaded works all the same, and why one can't be
   * loaded must not be hidden.
   */
  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException | RuntimeException e) {
      // A folder that takes files and does not give them up, or a server's policy.
    }
  }

  private static void loadFile(Path file, String what, String remedy)
      throws BackendUnavailableException {
    try {
      System.load(file.toAbsolutePath().toString());
    } catch (UnsatisfiedLinkError e) {
      throw new BackendUnavailableException(
          what + " can't be loaded: " + e.getMessage() + "; " + remedy, e);
    } catch (IllegalCallerException e) {
      // This happens from Java 24 on, with --illegal-native-access=deny.
      throw new BackendUnavailableException(
          "native access is denied to lucene-pread-jni; add its module, or ALL-UNNAMED where it is on"
              + " the class path, to --enable-native-access ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static void checkVersion() throws BackendUnavailableException {
    int version;
    try {
      version = LinuxCalls.version();
    } catch (UnsatisfiedLinkError e) {
      throw new BackendUnavailableException(
          "what was loaded is not the library of lucene-pread-jni: "
              + e.getMessage()
              + "; check -D"
              + PROPERTY,
          e);
    }
    if (version != LinuxCalls.VERSION) {
      throw new BackendUnavailableException(
          "the library has version "
              + version
              + " and these classes need "
              + LinuxCalls.VERSION
              + ": take both from the same release of lucene-pread-jni, or leave -D"
              + PROPERTY
              + " out");
    }
  }

  private static String here() {
    return System.getProperty("os.name") + " on " + System.getProperty("os.arch");
  }
}
