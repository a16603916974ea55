/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten million reads, in a JVM of their own: its native memory does not grow with them. */
class SoakTest {

  private static final int READS = 10_000_000;
  private static final int LENGTH = 1 << 20;

  /** What the JVM itself may still take: a leak of 4 bytes a read would be more. */
  private static final long MAX_GROWTH_KIB = 32 << 10;

  @TempDir Path folder;

  /** What the JVM runs: half of its reads go into arrays, half through the seam. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) throws IOException {
      Path path = Path.of(args[0]);
      try (BlockCache none = new BlockCache(0);
          PreadDirectory directory =
              new PreadDirectory(
                  path, FSLockFactory.getDefault(), PreadConfig.builder().cache(none).build())) {
        byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
        try (IndexOutput out = directory.createOutput("f", IOContext.DEFAULT)) {
          out.writeBytes(data, LENGTH);
        }
        SystemCalls posix = Fixtures.nativeCalls();
        read(posix, directory, path, data, READS / 10);
        long before = residentKib();
        read(posix, directory, path, data, READS);
        System.out.println("growth=" + (residentKib() - before));
      }
    }

    private static void read(
        SystemCalls posix, PreadDirectory directory, Path path, byte[] data, int reads)
        throws IOException {
      byte[] read = new byte[64];
      int fd = posix.open(path.resolve("f"), OpenMode.READ);
      var buffer = posix.allocate(64, 64);
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        for (int i = 0; i < reads / 2; i++) {
          int position = (i * 4099) & (LENGTH - 64);
          long n = posix.preadNoWait(fd, read, 0, 64, position);
          if (n < 0) {
            // The bytes are not resident: the seam's users go on in the same way.
            assertEquals(64, posix.pread(fd, buffer, 0, 64, position));
            buffer.get(0, read, 0, 64);
          }
          check(data, position, read, i);
          assertEquals(64, posix.pread(fd, buffer, 0, 64, position));
          if (i % 1000 == 0) {
            input.seek(position);
            input.readBytes(read, 0, 64);
            check(data, position, read, 0);
          }
        }
      } finally {
        posix.close(fd);
      }
    }

    private static void check(byte[] data, int position, byte[] read, int turn) {
      if (turn % 1000 == 0) {
        assertArrayEquals(Arrays.copyOfRange(data, position, position + 64), read);
      }
    }

    private static long residentKib() throws IOException {
      System.gc();
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
      throw new IOException("no VmRSS");
    }
  }

  @Test
  void tenMillionReadsLeaveNothingBehind() throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms64m",
                "-Xmx64m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Ddev.pread.backend=jni",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                folder.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.startsWith("growth="), output);
    long growth = Long.parseLong(output.strip().substring("growth=".length()));
    assertTrue(growth < MAX_GROWTH_KIB, growth + " KiB after " + READS + " reads");
  }
}
