/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A fault that the search has to find, or else it would not find ours. Each makes of the log of a
 * sound run the one that the same run would have left with the fault. The run itself would not have
 * been another: what is skipped, postponed or lost is still reported as done, and shows to nobody
 * who reads the files before the crash.
 */
enum PlantedFault {
  /** No file is synced. */
  NO_FILE_SYNC,
  /** No folder is synced. */
  NO_FOLDER_SYNC,
  /** A file is cut to its length after a direct write only once it has been synced. */
  LATE_TAIL_CUT,
  /** A commit gets its name first and is synced then. */
  RENAME_BEFORE_SYNC,
  /** Each 20th write never gets to the device, though its length does. */
  LOST_WRITE;

  /** Returns the log of a run with this fault. */
  List<Operation> plantedIn(List<Operation> log) {
    return switch (this) {
      case NO_FILE_SYNC -> log.stream().filter(op -> !(op instanceof Operation.SyncFile)).toList();
      case NO_FOLDER_SYNC ->
          log.stream().filter(op -> !(op instanceof Operation.SyncFolder)).toList();
      case LATE_TAIL_CUT -> cutLate(log);
      case RENAME_BEFORE_SYNC -> renameFirst(log);
      case LOST_WRITE -> loseWrites(log);
    };
  }

  private static List<Operation> cutLate(List<Operation> log) {
    List<Operation> out = new ArrayList<>();
    Map<Integer, Operation> cuts = new HashMap<>();
    for (Operation operation : log) {
      if (operation instanceof Operation.Truncate cut) {
        cuts.put(cut.file(), cut);
        continue;
      }
      out.add(operation);
      if (operation instanceof Operation.SyncFile sync && cuts.containsKey(sync.file())) {
        out.add(cuts.remove(sync.file()));
      }
    }
    return out;
  }

  private static List<Operation> renameFirst(List<Operation> log) {
    List<Operation> out = new ArrayList<>();
    Map<Integer, Operation> syncs = new HashMap<>();
    for (Operation operation : log) {
      if (operation instanceof Operation.Rename rename) {
        syncs.put(rename.file(), new Operation.SyncFile(rename.file()));
      }
    }
    for (Operation operation : log) {
      if (!syncs.containsValue(operation)) {
        out.add(operation);
      }
      if (operation instanceof Operation.Rename rename) {
        out.add(syncs.get(rename.file()));
      }
    }
    return out;
  }

  private static List<Operation> loseWrites(List<Operation> log) {
    List<Operation> out = new ArrayList<>();
    int writes = 0;
    for (Operation operation : log) {
      if (operation instanceof Operation.Write write && ++writes % 20 == 0) {
        ByteBuffer zeros = ByteBuffer.allocate(write.bytes().capacity());
        out.add(new Operation.Write(write.file(), write.position(), zeros));
      } else {
        out.add(operation);
      }
    }
    return out;
  }
}
