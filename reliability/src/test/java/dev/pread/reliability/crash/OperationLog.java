/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All operations in the order in which they ended. It is thread-safe. */
final class OperationLog {

  private final List<Operation> operations = new ArrayList<>();
  private final Map<Path, Integer> files = new HashMap<>();
  private int created;

  /** Returns a copy of the log. */
  synchronized List<Operation> operations() {
    return List.copyOf(operations);
  }

  /** Returns the number of the file of that name; null where it was not made through this log. */
  synchronized Integer file(Path path) {
    return files.get(path);
  }

  synchronized void add(Operation operation) {
    operations.add(operation);
  }

  synchronized void create(Path path) {
    files.put(path, ++created);
    add(new Operation.Create(path, created));
  }

  /** A file that is not of this log, as the lock of an index, is none of its business. */
  synchronized void unlink(Path path) {
    if (files.remove(path) != null) {
      add(new Operation.Unlink(path));
    }
  }

  synchronized void rename(Path from, Path to) {
    int file = files.remove(from);
    files.put(to, file);
    add(new Operation.Rename(from, to, file));
  }

  synchronized void link(Path existing, Path path) {
    int file = files.get(existing);
    files.put(path, file);
    add(new Operation.Link(path, file));
  }
}
