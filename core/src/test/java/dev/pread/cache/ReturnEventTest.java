/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReturnEventTest {

  private static final int BITS = 10;
  private static final long PAGE = 8L << BITS;

  @TempDir private Path folder;

  @Test
  void aRecordingTellsWhatWasGivenBack() throws IOException {
    TestMemory memory = new TestMemory(64 << BITS, 8 << BITS, Integer.MAX_VALUE);
    SlotCache cache = new SlotCache(64L << BITS, BITS, memory);
    CachedFile file = cache.files().open(null, "f", 64L << BITS);
    file.loadAll(new TestSource(1, 64L << BITS));
    Path dump = folder.resolve("recording");
    try (Recording recording = new Recording()) {
      recording.start();
      assertEquals(5 * PAGE, cache.resize(3 * PAGE, true));
      assertEquals(0, cache.resize(5 * PAGE, false));
      file.close();
      assertEquals(0, cache.returnIdle(3 * PAGE), "it has been free for a moment");
      assertEquals(2 * PAGE, cache.returnIdle(2 * PAGE + 1));
      recording.stop();
      recording.dump(dump);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(dump).stream()
            .filter(e -> e.getEventType().getName().equals("dev.pread.MemoryReturn"))
            .filter(e -> e.getThread().getJavaThreadId() == Thread.currentThread().threadId())
            .toList();
    assertEquals(2, events.size());
    assertEquals(3 * PAGE, events.get(0).getLong("target"));
    assertEquals(5 * PAGE, events.get(0).getLong("bytes"));
    assertTrue(events.get(0).getBoolean("urgent"));
    assertEquals(5 * PAGE, events.get(1).getLong("target"));
    assertEquals(2 * PAGE, events.get(1).getLong("bytes"));
    assertFalse(events.get(1).getBoolean("urgent"));
  }
}
