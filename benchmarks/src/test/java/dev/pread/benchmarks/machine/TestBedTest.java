/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.benchmarks.StopSignal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestBedTest {

  @TempDir Path temp;

  @Test
  void aReportGetsEachNoteOnceAndAtOnce() throws Exception {
    List<String> report = new ArrayList<>();
    TestBed.Setup setup = new TestBed.Setup(temp.resolve("work"), false, 0, 0);
    try (StopSignal stop = StopSignal.ofShutdown();
        TestBed bed = TestBed.open(setup, stop)) {
      bed.note("before");
      bed.notesTo(report::add);
      assertEquals(List.of("device read-ahead left as it is", "before"), report);
      bed.note("after");
      bed.note("before");
      assertEquals(List.of("device read-ahead left as it is", "before", "after"), report);
      assertEquals(report, bed.notes());
    }
  }
}
