/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording says of the cache. */
class CacheEventsTest {

  private static final String MISS = "dev.pread.BlockMiss";
  private static final String EVICTION = "dev.pread.BlockEviction";
  private static final String ENTRY = "dev.pread.BlockEntry";
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 4;
  private static final int LENGTH = 10 * BLOCK + 100;

  @TempDir Path folder;

  private final Backend backend = new Backend(Fixtures.faults());

  private final BlockCache cache = Fixtures.tinyCache(BLOCKS, 12);
  private PreadDirectory directory;
  private IndexInput input;

  /** One event as the test expects it; evictions have no bytes. */
  private record Seen(String file, long position, long bytes) {}

  @BeforeEach
  void open() throws IOException {
    Files.write(folder.resolve("f"), Fixtures.randomBytes(1, LENGTH));
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
    input = directory.openInput("f", IOContext.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    input.close();
    directory.close();
    cache.close();
  }

  private List<RecordedEvent> record(Recording recording, int... blocks) throws IOException {
    Path file = folder.resolve("recording");
    try (recording) {
      recording.start();
      read(blocks);
      recording.stop();
      recording.dump(file);
    }
    // Other tests of this process may be seen, too, if their threads are slow to end.
    String path = folder.resolve("f").toString();
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().startsWith("dev.pread."))
        .filter(e -> e.hasField("file") && path.equals(e.getString("file")))
        .toList();
  }

  private static List<Seen> only(List<RecordedEvent> events, String type) {
    return events.stream()
        .filter(e -> e.getEventType().getName().equals(type))
        .map(
            e ->
                new Seen(
                    e.getString("file"),
                    e.getLong("position"),
                    e.hasField("bytesRead") ? e.getLong("bytesRead") : 0))
        .toList();
  }

  private void read(int... blocks) throws IOException {
    for (int block : blocks) {
      input.seek((long) block * BLOCK + 5);
      input.readByte();
    }
  }

  private Seen seen(long block, long bytes) {
    return new Seen(folder.resolve("f").toString(), block * BLOCK, bytes);
  }

  @Test
  void missesAndEvictionsSayOfWhichFileAndBlock() throws IOException {
    Recording recording = new Recording();
    recording.enable(MISS).withThreshold(Duration.ZERO);
    recording.enable(EVICTION);
    // The first read fills the cache, the others each make room; 10 is the short one at the end.
    List<RecordedEvent> events = record(recording, 0, 3, 7, 9, 10, 10);
    assertEquals(
        List.of(seen(0, BLOCKS * BLOCK), seen(7, BLOCK), seen(9, BLOCK), seen(10, LENGTH % BLOCK)),
        only(events, MISS));
    List<Seen> evicted = only(events, EVICTION);
    assertEquals(3, evicted.size());
    // Which of the first four stayed is the policy's business: it is the one not named.
    Set<Seen> stayed = new HashSet<>(List.of(seen(0, 0), seen(1, 0), seen(2, 0), seen(3, 0)));
    evicted.forEach(e -> assertTrue(stayed.remove(e), e.toString()));
    assertEquals(1, stayed.size());
    read((int) (stayed.iterator().next().position() / BLOCK));
    assertEquals(4, cache.stats().misses());
    assertEquals(3, cache.stats().evictions());
    read((int) (evicted.get(0).position() / BLOCK));
    assertEquals(5, cache.stats().misses());
    for (RecordedEvent event : events) {
      assertEquals(Thread.currentThread().getName(), event.getThread().getJavaName());
      assertTrue(event.getDuration().compareTo(Duration.ZERO) >= 0);
    }
  }

  /** What comes in was evicted before, or there was room for it. */
  @Test
  void entriesAndEvictionsSayInWhichSlot() throws IOException {
    Recording recording = new Recording();
    // A miss has no slot, and is recorded without being asked for if it is slow.
    recording.disable(MISS);
    recording.enable(ENTRY);
    recording.enable(EVICTION);
    List<RecordedEvent> events = record(recording, 0, 7);
    List<Seen> entered = only(events, ENTRY);
    assertEquals(
        Set.of(seen(0, 0), seen(1, 0), seen(2, 0), seen(3, 0), seen(7, 0)), Set.copyOf(entered));
    assertEquals(5, entered.size());
    assertEquals(1, only(events, EVICTION).size());
    for (RecordedEvent event : events) {
      assertTrue(event.getInt("slot") >= 0 && event.getInt("slot") < BLOCKS, event::toString);
      assertEquals(List.of("lucene-pread"), event.getEventType().getCategoryNames());
      assertNull(event.getStackTrace());
    }
  }

  /** A miss begins where its block is missing, and not where it begins to read. */
  @Test
  void aMissInTheMiddleSaysWhichBlockWasMissing() throws IOException {
    Recording recording = new Recording();
    recording.enable(MISS).withThreshold(Duration.ZERO);
    List<RecordedEvent> events = record(recording, 9);
    assertEquals(List.of(seen(9, 3 * BLOCK + LENGTH % BLOCK)), only(events, MISS));
  }

  @Test
  void shortMissesAndEvictionsAreNotRecordedUnlessAskedFor() throws IOException {
    Recording recording = new Recording();
    recording.enable(MISS).withThreshold(Duration.ofHours(1));
    List<RecordedEvent> events = record(recording, 0, 3, 7, 9, 10);
    assertEquals(List.of(), events);
  }
}
