/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.lucene.util.IOUtils;

/**
 * All that a measurement changes of the machine, put back on {@link #close()}: a folder with files,
 * the device's read-ahead, and a memory cgroup for each process. One thread.
 */
public final class TestBed implements Closeable {
  private final ScratchFolder folder;
  private final Setup setup;
  private final StopSignal stop;
  private final List<String> notes = new ArrayList<>();
  private Consumer<String> reader = note -> {};
  private ReadAhead readAhead;

  /**
   * What is wanted.
   *
   * @param work folder, or null for a temporary one
   * @param keep whether to leave its files
   * @param memory limit in bytes, 0 for none
   * @param readAheadKiB to pin the device to, 0 to leave it
   */
  public record Setup(Path work, boolean keep, long memory, long readAheadKiB) {}

  private TestBed(ScratchFolder folder, Setup setup, StopSignal stop) {
    this.folder = folder;
    this.setup = setup;
    this.stop = stop;
  }

  /**
   * Makes it.
   *
   * @throws UnavailableException if there is to be a limit and none can be had
   * @throws UserError if the folder cannot be used
   */
  public static TestBed open(Setup setup, StopSignal stop)
      throws UserError, UnavailableException, IOException {
    if (setup.memory() > 0) {
      MemoryCgroup.create(setup.memory()).close();
    }
    TestBed bed = new TestBed(ScratchFolder.open(setup.work(), setup.keep()), setup, stop);
    bed.pinReadAhead();
    return bed;
  }

  private void pinReadAhead() {
    if (setup.readAheadKiB() == 0) {
      note("device read-ahead left as it is");
      return;
    }
    try {
      readAhead = ReadAhead.pin(folder.path(), setup.readAheadKiB());
      note(
          "device read-ahead "
              + setup.readAheadKiB()
              + " KiB (otherwise "
              + readAhead.before()
              + ")");
    } catch (UnavailableException e) {
      note("device read-ahead NOT pinned: " + e.getMessage());
    }
  }

  public ScratchFolder folder() {
    return folder;
  }

  public StopSignal stop() {
    return stop;
  }

  /** What the figures depend on and was, or could not be, arranged. */
  public List<String> notes() {
    return new ArrayList<>(notes);
  }

  /** Gives a report all notes, those of now and, as soon as they are made, those to come. */
  public void notesTo(Consumer<String> report) {
    notes.forEach(report);
    reader = report;
  }

  /** The device's read-ahead and the memory limit, for reports. */
  public Map<String, Object> describe() throws IOException {
    Map<String, Object> facts = new LinkedHashMap<>();
    FileStore store = Files.getFileStore(folder.path());
    facts.put("device", store.name());
    facts.put("fileSystem", store.type());
    if (readAhead != null) {
      facts.put("readAheadKiB", setup.readAheadKiB());
      facts.put("readAheadBeforeKiB", readAhead.before());
    }
    if (setup.memory() > 0) {
      facts.put("cgroupVersion", MemoryCgroup.version());
      facts.put("memoryLimitBytes", setup.memory());
    }
    return facts;
  }

  /** The memory limit of each process, in bytes; 0 for none. */
  public long memory() {
    return setup.memory();
  }

  /** Notes something once, however often it is said. */
  public void note(String text) {
    if (!notes.contains(text)) {
      notes.add(text);
      reader.accept(text);
    }
  }

  /**
   * Runs a command within the limit.
   *
   * @return null if stopped
   */
  public LimitedProcess.Ended run(List<String> command, double maxSeconds) throws IOException {
    if (stop.requested()) {
      return null;
    }
    if (setup.memory() == 0) {
      return LimitedProcess.run(command, null, maxSeconds, stop);
    }
    try (MemoryCgroup group = MemoryCgroup.create(setup.memory())) {
      return LimitedProcess.run(command, group, maxSeconds, stop);
    } catch (UnavailableException e) {
      throw new IOException("no further memory cgroup", e); // One was made at the beginning.
    }
  }

  /** Empties the page cache of files; where that cannot be done, says so once and goes on. */
  public void drop(List<Path> files) throws IOException {
    try {
      for (Path file : files) {
        PageCache.drop(file);
      }
    } catch (UnavailableException e) {
      note("page cache NOT emptied: " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(readAhead, folder);
  }
}
