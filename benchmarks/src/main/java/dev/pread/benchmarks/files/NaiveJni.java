/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Reads in a critical section of JNI, whatever the disk does, by {@code naive_critical_read.c}. */
final class NaiveJni {

  private NaiveJni() {}

  /** Loads the library; an IllegalStateException says that it was not built for this machine. */
  static void load() throws IOException {
    String platform = "linux-" + System.getProperty("os.arch").replace("amd64", "x86_64");
    Path file = Files.createTempFile("naive-", ".so");
    try (InputStream library =
        NaiveJni.class.getResourceAsStream(platform + "/libnaive_critical_read.so")) {
      if (library == null) {
        throw new IllegalStateException("it was not built for " + platform);
      }
      Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
      System.load(file.toString());
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Fills a whole array by {@code pread(2)}.
   *
   * @return bytes read, or a negative errno
   */
  static native long read(int fd, byte[] array, long position);
}
