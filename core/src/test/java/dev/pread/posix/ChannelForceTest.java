/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests by which calls of the JDK files are synced, as its own events tell. */
class ChannelForceTest {

  @TempDir Path folder;

  /** The JDK syncs files by two calls, of which one leaves them in the device's memory there. */
  @Test
  void onMacOsFilesAreSyncedThroughAChannel() throws IOException {
    assertEquals(0, forces("Linux"));
    assertEquals(1, forces("Mac OS X"));
  }

  private long forces(String os) throws IOException {
    Path path = Files.write(folder.resolve("f"), new byte[100]);
    Path events = folder.resolve("events");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withThreshold(Duration.ZERO);
      recording.start();
      Backend of = new Backend(new ChannelSystemCalls(os));
      try (PosixFile open = of.open(path, OpenMode.WRITE)) {
        // The interrupt cuts nothing short, and is not lost.
        Thread.currentThread().interrupt();
        open.syncData();
        assertTrue(Thread.interrupted());
      }
      recording.stop();
      recording.dump(events);
    }
    return RecordingFile.readAllEvents(events).stream()
        .filter(e -> path.toString().equals(e.getString("path")))
        .count();
  }
}
