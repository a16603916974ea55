/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.BackendJvm;
import dev.pread.LuceneWarning;
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
    return BackendJvm.runWith(folder, "--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void thatTheyAreNotGivenIsInTheLogOnce() throws Exception {
    String output = run("long position, int count");
    LuceneWarning.assertSlow(
        output, "ffm", "segmentSliceOrNull(long,int), segmentSliceOrNull(long,long)");
  }

  @Test
  void oneMethodMoreThanIsHereIsNeverCalled() throws Exception {
    String output = run("long position, long count", "long position, int count");
    LuceneWarning.assertSlow(output, "ffm", "segmentSliceOrNull(long,int)");
  }
}
