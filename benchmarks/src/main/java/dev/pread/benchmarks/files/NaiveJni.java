/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads in a critical section of JNI, whatever the disk does, by {@code naive_critical_read.c}. */
final class NaiveJni {

  private NaiveJni() {}

  /**
   * Loads the library.
   *
   * @throws IllegalStateException if it was not built for this machine, or cannot be loaded
   */
  static void load() {
    String platform =
        "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64");
    try (InputStream library =
        NaiveJni.class.getResourceAsStream(platform + "/libnaive_critical_read.so")) {
      if (library == null) {
        throw new IllegalStateException("it was not built for " + platform);
      }
      Path file = Files.createTempFile("naive-", ".so");
      try {
        try (OutputStream out = Files.newOutputStream(file)) {
          library.transferTo(out);
        }
        System.load(file.toString());
      } finally {
        Files.delete(file);
      }
    } catch (IOException | UnsatisfiedLinkError e) {
      throw new IllegalStateException("its library cannot be loaded: " + e, e);
    }
  }

  /**
   * Fills a whole array by {@code pread(2)}.
   *
   * @return bytes read, or a negative errno
   */
  static native long read(int fd, byte[] array, long position);
}
