/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendJvm;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Lucene that asks for segments by another method than the one these classes know. */
class LaterSegmentsTest {

  @TempDir private Path folder;

  /** Runs with a type that has these methods, and returns what is in the log. */
  private String run(String... methods) throws Exception {
    String type =
        "public interface MemorySegmentAccessInput extends RandomAccessInput, Cloneable {";
    for (String method : methods) {
      type += "java.lang.foreign.MemorySegment segmentSliceOrNull(" + method + ");";
    }
    BackendJvm.compile(folder, Map.of("MemorySegmentAccessInput", type + "}"));
    String output = BackendJvm.runWith(folder, "--enable-native-access=ALL-UNNAMED");
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("ffm")), output);
    return output;
  }

  @Test
  void thatTheyAreNotGivenIsInTheLogOnce() throws Exception {
    String output = run("long position, int count");
    assertEquals(
        1,
        BackendJvm.count(
            output,
            "are in use: segmentSliceOrNull(long,int), segmentSliceOrNull(long,long). What is"
                + " read and written is right"),
        output);
    assertTrue(output.contains(" was built for Lucene 10."), output);
  }

  @Test
  void oneMethodMoreThanIsHereIsNeverCalled() throws Exception {
    String output = run("long position, long count", "long position, int count");
    assertTrue(output.contains("are in use: segmentSliceOrNull(long,int). What is"), output);
  }
}
