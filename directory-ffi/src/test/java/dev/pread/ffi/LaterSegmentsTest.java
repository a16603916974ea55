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

  @Test
  void thatTheyAreNotGivenIsInTheLogOnce(@TempDir Path folder) throws Exception {
    BackendJvm.compile(
        folder,
        Map.of(
            "MemorySegmentAccessInput",
            """
            public interface MemorySegmentAccessInput extends RandomAccessInput, Cloneable {
              java.lang.foreign.MemorySegment segmentSliceOrNull(long position, int count);
            }
            """));
    String output = BackendJvm.runWith(folder, "--enable-native-access=ALL-UNNAMED");
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("ffm")), output);
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
  void oneMethodMoreThanIsHereIsNeverCalled(@TempDir Path folder) throws Exception {
    BackendJvm.compile(
        folder,
        Map.of(
            "MemorySegmentAccessInput",
            """
            public interface MemorySegmentAccessInput extends RandomAccessInput, Cloneable {
              java.lang.foreign.MemorySegment segmentSliceOrNull(long position, long count);
              java.lang.foreign.MemorySegment segmentSliceOrNull(long position, int count);
            }
            """));
    String output = BackendJvm.runWith(folder, "--enable-native-access=ALL-UNNAMED");
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("ffm")), output);
    assertTrue(output.contains("are in use: segmentSliceOrNull(long,int). What is"), output);
  }
}
