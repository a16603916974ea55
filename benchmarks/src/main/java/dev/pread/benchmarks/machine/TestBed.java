/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.harness.LimitedProcess;
import dev.pread.harness.MemoryCgroup;
import dev.pread.harness.ProcessFigures;
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
 * folder with files, the device's read-ahead, and a memory cgroup for each process. It is for one
 * thread.
 *
 * @param readAhead as it is pinned; null if it is left as it is
 * @param memory limit of each process, in bytes; 0 for none
 * @param notes takes what was, or could not be, arranged; the same may be said many times
 */
public record TestBed(
    ScratchFolder folder, ReadAhead readAhead, long memory, StopSignal stop, Consumer<String> notes)
    implements Closeable {
  /** By so much a process may take longer than it should, since a machine may be busy. */
  private static final double TIMEOUT_FACTOR = 5;

  private static final double START_SECONDS = 120;

  /**
   * Says what is wanted; without a folder, a temporary one, and the read-ahead 0 stays as it is.
   */
  public record Setup(Path work, boolean keep, long memory, long readAheadKiB) {}

  /** Arranges the machine, unless there is to be a limit and none can be had. */
  public static TestBed open(Setup setup, StopSignal stop, Consumer<String> notes)
      throws IOException {
    if (setup.memory() > 0) {
      try {
        MemoryCgroup.create(setup.memory()).close();
      } catch (IOException e) {
        throw new UnavailableException(e.getMessage());
      }
    }
    ScratchFolder folder = ScratchFolder.open(setup.work(), setup.keep());
    ReadAhead readAhead = pin(folder, setup.readAheadKiB(), notes);
    return new TestBed(folder, readAhead, setup.memory(), stop, notes);
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

  public Map<String, Object> describe() throws IOException {
    Map<String, Object> facts = new LinkedHashMap<>();
    FileStore store = Files.getFileStore(folder.path());
    facts.put("device", store.name());
    facts.put("fileSystem", store.type());
    if (readAhead != null) {
      facts.put("readAheadKiB", ProcessFigures.number(readAhead.setting(), ""));
      facts.put("readAheadBeforeKiB", readAhead.before());
    }
    if (memory > 0) {
      facts.put("cgroupVersion", MemoryCgroup.version());
      facts.put("memoryLimitBytes", memory);
    }
    return facts;
  }

  /**
   * Runs a command that should take so many seconds, within the limit.
   *
   * @throws IOException if it cannot be run, or the run is being stopped
   */
  public LimitedProcess.Ended run(List<String> command, double seconds) throws IOException {
    stop.check();
    double maxSeconds = START_SECONDS + TIMEOUT_FACTOR * seconds;
    try (MemoryCgroup group = memory == 0 ? null : MemoryCgroup.create(memory)) {
      LimitedProcess.Ended ended = LimitedProcess.run(command, group, maxSeconds, stop::requested);
      stop.check(); // It may have been killed for that.
      return ended;
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
