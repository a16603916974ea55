/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import org.apache.lucene.util.IOUtils;

/**
 * Goes through the states that a crash of one run may leave: after each operation, each extreme and
 * some random choices of what survives. It goes in random order, so that a part of them is a sample
 * of all.
 */
final class CrashSearch {

  /** The power fails after the first {@code operations}, and this kind of remains survives. */
  private record Crash(int operations, int kind) {}

  /**
   * What was found.
   *
   * @param crashes that were simulated
   * @param states that were checked: no two of them are equal
   * @param violation what is wrong with the last of them, and how to get there; null if nothing is
   */
  record Result(int crashes, int states, String violation) {}

  private final Path index;
  private final RecoveryCheck check;
  private final long seed;

  /**
   * @param index the folder of the index, as the operations name it
   */
  CrashSearch(Path index, RecoveryCheck check, long seed) {
    this.index = index;
    this.check = check;
    this.seed = seed;
  }

  /**
   * Checks states until one is wrong.
   *
   * @param randomKinds random choices per operation, beside the extremes
   * @param mostStates after which it ends
   * @param work a folder for one state after the other
   */
  Result search(List<Operation> log, int randomKinds, long mostStates, Path work)
      throws IOException {
    List<Crash> crashes = crashes(log, Survival.EXTREMES + randomKinds);
    Set<String> seen = new HashSet<>();
    int simulated = 0;
    for (Crash crash : crashes) {
      if (seen.size() == mostStates) {
        break;
      }
      simulated++;
      Disk disk = new Disk(log.subList(0, crash.operations));
      Survival survival = Survival.of(crash.kind, seed + crash.hashCode());
      SortedMap<String, byte[]> state = disk.crash(index, survival);
      if (seen.add(digest(state, disk.returned()))) {
        try {
          checkState(state, disk.returned(), survival.inOrder(), work.resolve("state"));
        } catch (IOException | RuntimeException | AssertionError e) {
          return new Result(simulated, seen.size(), describe(log, crash, survival, state, e));
        }
      }
    }
    return new Result(simulated, seen.size(), null);
  }

  /**
   * Returns all of them, in random order; every other one is at a turning point, while there are
   * any.
   */
  private List<Crash> crashes(List<Operation> log, int kinds) {
    List<Crash> turning = new ArrayList<>();
    List<Crash> others = new ArrayList<>();
    for (int operations = 0; operations <= log.size(); operations++) {
      for (int kind = 0; kind < kinds; kind++) {
        (isTurningPoint(log, operations) ? turning : others).add(new Crash(operations, kind));
      }
    }
    Random random = new Random(seed);
    Collections.shuffle(turning, random);
    Collections.shuffle(others, random);
    List<Crash> crashes = new ArrayList<>();
    for (int i = 0; i < Math.max(turning.size(), others.size()); i++) {
      crashes.addAll(turning.subList(Math.min(i, turning.size()), Math.min(i + 1, turning.size())));
      crashes.addAll(others.subList(Math.min(i, others.size()), Math.min(i + 1, others.size())));
    }
    return crashes;
  }

  /**
   * Returns whether names have just become safe, or a commit got its own: a few of very many
   * operations.
   */
  private static boolean isTurningPoint(List<Operation> log, int operations) {
    return operations > 0
        && (log.get(operations - 1) instanceof Operation.Rename
            || log.get(operations - 1) instanceof Operation.SyncFolder);
  }

  private void checkState(
      SortedMap<String, byte[]> state, int returned, boolean inOrder, Path folder)
      throws IOException {
    Files.createDirectory(folder);
    try {
      for (Map.Entry<String, byte[]> file : state.entrySet()) {
        Files.write(folder.resolve(file.getKey()), file.getValue());
      }
      check.check(folder, returned, inOrder);
    } finally {
      IOUtils.rm(folder);
    }
  }

  private static String digest(SortedMap<String, byte[]> state, int returned) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      state.forEach(
          (name, bytes) -> {
            digest.update((name + " " + bytes.length + " ").getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
          });
      return returned + " " + new String(digest.digest(), StandardCharsets.ISO_8859_1);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private String describe(
      List<Operation> log,
      Crash crash,
      Survival survival,
      SortedMap<String, byte[]> state,
      Throwable violation) {
    StringBuilder text = new StringBuilder();
    text.append(violation).append("\nwith seed ").append(seed);
    text.append(", after ").append(crash.operations).append(" of ").append(log.size());
    text.append(" operations; ").append(survival).append("\nlast operations:");
    for (Operation o : log.subList(Math.max(0, crash.operations - 15), crash.operations)) {
      text.append("\n  ").append(o);
    }
    text.append("\nfiles after the crash, and their lengths: ");
    state.forEach((name, bytes) -> text.append(name).append(' ').append(bytes.length).append(", "));
    return text.toString().replace(index.getParent() + "/", "");
  }
}
