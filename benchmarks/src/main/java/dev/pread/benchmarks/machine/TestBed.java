/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.lucene.util.IOUtils;

/**
 * Arranges all that a measurement changes of the machine, and puts it back on {@link #close()}: a
 * folder with files, the device's read-ahead, and a memory cgroup for each process. One thread.
 *
 * @param folder with the files
 * @param readAhead as it is pinned; null if it is left as it is
 * @param setup what was wanted
 * @param stop ends what is run
 * @param notes takes what the figures depend on and was, or could not be, arranged; the same may be
 *     said many times
 */
public record TestBed(
    ScratchFolder folder, ReadAhead readAhead, Setup setup, StopSignal stop, Consumer<String> notes)
    implements Closeable {
  /**
   * A process is killed only when it takes so many times as long as it should, since a machine may
   * be busy with other things.
   */
  private static final double TIMEOUT_FACTOR = 5;

  private static final double START_SECONDS = 120;

  /**
   * What is wanted.
   *
   * @param work folder, or null for a temporary one
   * @param keep whether to leave its files
   * @param memory limit in bytes, 0 for none
   * @param readAheadKiB to pin the device to, 0 to leave it
   */
  public record Setup(Path work, boolean keep, long memory, long readAheadKiB) {}

  /**
   * Arranges the machine.
   *
   * @throws UnavailableException if there is to be a limit and none can be had
   * @throws UserError if the folder cannot be used
   */
  public static TestBed open(Setup setup, StopSignal stop, Consumer<String> notes)
      throws UnavailableException, IOException {
    if (setup.memory() > 0) {
      MemoryCgroup.create(setup.memory()).close();
    }
    ScratchFolder folder = ScratchFolder.open(setup.work(), setup.keep());
    return new TestBed(folder, pin(folder, setup.readAheadKiB(), notes), setup, stop, notes);
  }

  private static ReadAhead pin(ScratchFolder folder, long wanted, Consumer<String> notes) {
    if (wanted == 0) {
      notes.accept("device read-ahead left as it is");
      return null;
    }
    try {
      ReadAhead pinned = ReadAhead.pin(folder.path(), wanted);
      notes.accept("device read-ahead " + wanted + " KiB (otherwise " + pinned.before() + ")");
      return pinned;
    } catch (UnavailableException e) {
      notes.accept("device read-ahead NOT pinned: " + e.getMessage());
      return null;
    }
  }

  /** Describes the device, its read-ahead and the memory limit for reports. */
  public Map<String, Object> describe() throws IOException {
    Map<String, Object> facts = new LinkedHashMap<>();
    FileStore store = Files.getFileStore(folder.path());
    facts.put("device", store.name());
    facts.put("fileSystem", store.type());
    if (readAhead != null) {
      facts.put("readAheadKiB", setup.readAheadKiB());
      facts.put("readAheadBeforeKiB", readAhead.before());
    }
    if (memory() > 0) {
      facts.put("cgroupVersion", MemoryCgroup.version());
      facts.put("memoryLimitBytes", memory());
    }
    return facts;
  }

  /** Returns the memory limit of each process, in bytes; 0 for none. */
  public long memory() {
    return setup.memory();
  }

  /**
   * Runs a command within the limit.
   *
   * @param seconds that it should take; it is killed when it takes many times as long
   * @return null if stopped
   */
  public LimitedProcess.Ended run(List<String> command, double seconds) throws IOException {
    if (stop.requested()) {
      return null;
    }
    double maxSeconds = START_SECONDS + TIMEOUT_FACTOR * seconds;
    try (MemoryCgroup group = memory() == 0 ? null : MemoryCgroup.create(memory())) {
      return LimitedProcess.run(command, group, maxSeconds, stop);
    } catch (UnavailableException e) {
      throw new IOException("no further memory cgroup", e); // One was made at the beginning.
    }
  }

  /** Empties the page cache of files; where that cannot be done, says so and goes on. */
  public void drop(List<Path> files) throws IOException {
    try {
      for (Path file : files) {
        PageCache.drop(file);
      }
    } catch (UnavailableException e) {
      notes.accept("page cache NOT emptied: " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(readAhead, folder);
  }
}
