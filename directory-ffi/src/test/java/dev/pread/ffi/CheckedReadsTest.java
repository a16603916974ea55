/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.PreadDirectory;
import dev.pread.store.CacheTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MemorySegmentAccessInput;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How values are read by what the JVM is told: which property has reads check all bounds, and what
 * allows native access.
 */
class CheckedReadsTest {

  private static final int VALUES = 10_000;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "--enable-native-access=ALL-UNNAMED, false, 'AddressAccess, a segment too'",
    "--enable-native-access=ALL-UNNAMED, true, 'BufferAccess, a segment too'",
    // What most people have who start Java by hand: a warning of the JVM's.
    "--illegal-native-access=warn, false, 'AddressAccess, a segment too'",
    "--illegal-native-access=allow, false, 'AddressAccess, a segment too'",
    "--illegal-native-access=deny, false, 'BufferAccess, no segment'"
  })
  void readsAreRightInAllModes(String nativeAccess, boolean checked, String expected)
      throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                nativeAccess,
                "-cp",
                System.getProperty("java.class.path"),
                "-Ddev.pread.checked=" + checked,
                Reads.class.getName(),
                folder.resolve("index").toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertEquals(true, process.waitFor(2, TimeUnit.MINUTES), "still running");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(List.of(expected), Files.readAllLines(output));
  }

  /** Writes a file, reads it in all ways, and says by which class. */
  static final class Reads {

    private Reads() {}

    @SuppressWarnings("SystemOut") // That is how it answers.
    public static void main(String[] args) throws IOException {
      try (PreadDirectory directory = new PreadDirectory(Path.of(args[0]))) {
        try (IndexOutput output = directory.createOutput("values", IOContext.DEFAULT)) {
          for (int i = 0; i < VALUES; i++) {
            output.writeLong(i);
          }
        }
        try (IndexInput input = directory.openInput("values", IOContext.DEFAULT)) {
          for (int i = 0; i < VALUES; i++) {
            check(i, input.readLong());
          }
          IndexInput slice = input.slice("a part", Long.BYTES, input.length() - Long.BYTES);
          for (int i = VALUES - 1; i > 0; i--) {
            check(i, slice.randomAccessSlice(0, slice.length()).readLong((i - 1L) * Long.BYTES));
          }
          boolean segment =
              input instanceof MemorySegmentAccessInput segments
                  && segments.segmentSliceOrNull(0, Long.BYTES) != null;
          System.out.println(
              CacheTrace.access(input) + (segment ? ", a segment too" : ", no segment"));
        }
      }
    }

    private static void check(long expected, long value) {
      if (value != expected) {
        throw new AssertionError(value + " instead of " + expected);
      }
    }
  }
}
