/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a log of operations has made of the disk: what is safe, and what is not yet. See the package
 * for what that means.
 */
final class Disk {

  /** The name has become that of {@code file}, or is gone where that is null. */
  private record NameChange(Path path, Integer file) {}

  /** The first {@code safe} of its changes are. */
  private static final class FileData {
    final List<Operation> changes = new ArrayList<>();
    int safe;
  }

  private final Map<Integer, FileData> files = new HashMap<>();
  private final Map<Path, Integer> safeNames = new HashMap<>();
  private final List<NameChange> unsafeNames = new ArrayList<>();
  private int returned;

  /** Creates the disk as it is after these operations. */
  Disk(List<Operation> operations) {
    operations.forEach(operation -> operation.replay(this));
  }

  void name(Path path, Integer file) {
    unsafeNames.add(new NameChange(path, file));
  }

  void data(int file, Operation change) {
    data(file).changes.add(change);
  }

  void syncFile(int file) {
    FileData data = data(file);
    data.safe = data.changes.size();
  }

  void syncFolder(Path folder) {
    for (NameChange change : unsafeNames) {
      if (change.path.getParent().equals(folder)) {
        apply(change, safeNames);
      }
    }
    unsafeNames.removeIf(change -> change.path.getParent().equals(folder));
  }

  void returned(int commit) {
    returned = commit;
  }

  /**
   * Returns the last commit of which the caller was told that it is safe; 0 before there is one.
   */
  int returned() {
    return returned;
  }

  private FileData data(int file) {
    return files.computeIfAbsent(file, number -> new FileData());
  }

  private static void apply(NameChange change, Map<Path, Integer> names) {
    if (change.file == null) {
      names.remove(change.path);
    } else {
      names.put(change.path, change.file);
    }
  }

  /**
   * Returns the files of {@code folder} by name, if the power failed now and so much survived it.
   */
  SortedMap<String, byte[]> crash(Path folder, Survival survival) {
    Map<Path, Integer> names = new HashMap<>(safeNames);
    for (NameChange change : unsafeNames) {
      if (change.path.getParent().equals(folder)
          && (change.file == null ? survival.removal() : survival.name())) {
        apply(change, names);
      }
    }
    SortedMap<String, Integer> inFolder = new TreeMap<>();
    names.forEach(
        (path, file) -> {
          if (path.getParent().equals(folder)) {
            inFolder.put(path.getFileName().toString(), file);
          }
        });
    // Two names of a file have the same bytes.
    Map<Integer, byte[]> bytes = new HashMap<>();
    SortedMap<String, byte[]> contents = new TreeMap<>();
    inFolder.forEach(
        (name, file) ->
            contents.put(name, bytes.computeIfAbsent(file, f -> bytes(data(f), survival))));
    return contents;
  }

  private static byte[] bytes(FileData data, Survival survival) {
    byte[] bytes = new byte[0];
    for (Operation change : data.changes.subList(0, data.safe)) {
      bytes = Arrays.copyOf(bytes, lengthAfter(change, bytes.length));
      if (change instanceof Operation.Write write) {
        write.bytes().get(0, bytes, (int) write.position(), write.bytes().capacity());
      }
    }
    if (data.safe == data.changes.size()) {
      return bytes;
    }
    List<Operation> unsafe = data.changes.subList(data.safe, data.changes.size());
    List<Integer> lengths = new ArrayList<>(List.of(bytes.length));
    for (Operation change : unsafe) {
      lengths.add(lengthAfter(change, lengths.get(lengths.size() - 1)));
    }
    byte[] surviving = Arrays.copyOf(bytes, lengths.stream().max(Integer::compare).orElseThrow());
    survival.fill(surviving, bytes.length);
    for (Operation change : unsafe) {
      // A cut changes the length alone: what it frees may still be on the disk.
      if (change instanceof Operation.Write write) {
        writeSectors(write, surviving, survival);
      }
    }
    return Arrays.copyOf(surviving, lengths.get(survival.length(lengths.size())));
  }

  private static int lengthAfter(Operation change, int length) {
    return (int)
        (change instanceof Operation.Write write
            ? Math.max(length, write.end())
            : ((Operation.Truncate) change).length());
  }

  private static void writeSectors(Operation.Write write, byte[] bytes, Survival survival) {
    long start = write.position();
    while (start < write.end()) {
      long end = Math.min(write.end(), (start / survival.sectorSize() + 1) * survival.sectorSize());
      if (survival.sector()) {
        int offset = (int) (start - write.position());
        write.bytes().get(offset, bytes, (int) start, (int) (end - start));
      }
      start = end;
    }
  }
}
