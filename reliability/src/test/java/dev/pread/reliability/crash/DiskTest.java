/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The states that small logs may leave are those that the model allows, and all of them. */
final class DiskTest {

  private static final Path FOLDER = Path.of("/folder");
  private static final Path A = FOLDER.resolve("a");
  private static final Path B = FOLDER.resolve("b");

  private static final Operation CREATE = new Operation.Create(A, 1);
  private static final Operation WRITE = new Operation.Write(1, 0, ones(8192));
  private static final Operation SYNC = new Operation.SyncFile(1);
  private static final Operation SYNC_FOLDER = new Operation.SyncFolder(FOLDER);

  private static ByteBuffer ones(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 1);
    return ByteBuffer.wrap(bytes);
  }

  /** Returns what each kind of crash leaves, many times over. */
  private static List<SortedMap<String, byte[]>> crashes(Operation... log) {
    return IntStream.range(0, 1000)
        .mapToObj(
            i -> new Disk(List.of(log)).crash(FOLDER, Survival.of(i % (Survival.EXTREMES + 4), i)))
        .toList();
  }

  private static Set<Set<String>> names(Operation... log) {
    Set<Set<String>> names = new HashSet<>();
    crashes(log).forEach(state -> names.add(Set.copyOf(state.keySet())));
    return names;
  }

  private static Set<Integer> lengths(Operation... log) {
    Set<Integer> lengths = new HashSet<>();
    crashes(log).forEach(state -> lengths.add(state.get("a").length));
    return lengths;
  }

  @Test
  void whatIsSyncedSurvivesEveryCrash() {
    for (SortedMap<String, byte[]> state : crashes(CREATE, WRITE, SYNC, SYNC_FOLDER)) {
      assertEquals(Set.of("a"), state.keySet());
      assertEquals(ones(8192), ByteBuffer.wrap(state.get("a")));
    }
  }

  @Test
  void theSyncOfAFileDoesNotMakeItsNameSafe() {
    assertEquals(Set.of(Set.of(), Set.of("a")), names(CREATE, WRITE, SYNC));
  }

  @Test
  void anUnsyncedRenameLeavesEitherNameOrBothOrNone() {
    assertEquals(
        Set.of(Set.of(), Set.of("a"), Set.of("b"), Set.of("a", "b")),
        names(CREATE, SYNC_FOLDER, new Operation.Rename(A, B, 1)));
  }

  @Test
  void anUnsyncedRemovalMayBeUndone() {
    assertEquals(
        Set.of(Set.of(), Set.of("a")), names(CREATE, SYNC_FOLDER, new Operation.Unlink(A)));
  }

  @Test
  void unsyncedDataIsThereOrLostOrTornAtSectors() {
    Set<Integer> tornAt = new HashSet<>();
    Set<Long> lost = new HashSet<>();
    for (SortedMap<String, byte[]> state : crashes(CREATE, WRITE, SYNC_FOLDER)) {
      byte[] bytes = state.get("a");
      lost.add(IntStream.range(0, bytes.length).filter(i -> bytes[i] == 0).count());
      for (int i = 1; i < bytes.length; i++) {
        if (Math.abs(bytes[i] - bytes[i - 1]) == 1 && bytes[i] + bytes[i - 1] == 1) {
          // The bytes change from zeros to ones or back; garbage does so by chance.
          tornAt.add(i % 512 == 0 ? i % 4096 : -1);
        }
      }
    }
    assertEquals(Set.of(0, 8192), lengths(CREATE, WRITE, SYNC_FOLDER));
    assertTrue(lost.containsAll(Set.of(0L, 4096L, 8192L)), lost.toString());
    assertTrue(tornAt.containsAll(Set.of(0, 512, 1024, 3584)), tornAt.toString());
  }

  @Test
  void aCutThatIsNotSyncedMayBeMissing() {
    Operation cut = new Operation.Truncate(1, 5000);
    assertEquals(Set.of(8192, 5000), lengths(CREATE, WRITE, SYNC, cut, SYNC_FOLDER));
    assertEquals(Set.of(5000), lengths(CREATE, WRITE, cut, SYNC, SYNC_FOLDER));
  }
}
