/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Pins the read-ahead of the block device under a path until {@link #close()} puts back what it
 * was: devices come with anything from 128 KiB to 8 MiB, and page faults read that much each.
 *
 * <p>The value of before, in KiB, and the process are also kept among the system's run-time state,
 * in a symbolic link, which is made at once or not at all. So two runs cannot take each other's
 * value for the original one, and what a killed run could not put back, the next one does.
 */
public record ReadAhead(Path setting, Path state, long before) implements Closeable {

  /** Pins the read-ahead, in KiB, of the device that a path is on. */
  public static ReadAhead pin(Path path, long kibibytes) throws UnavailableException {
    return pin(setting(Path.of("/sys"), path), Path.of("/run"), kibibytes);
  }

  static ReadAhead pin(Path setting, Path stateFolder, long kibibytes) throws UnavailableException {
    Path state = stateFolder.resolve("lucene-pread-pinned" + setting.toString().replace('/', '-'));
    try {
      if (Files.isSymbolicLink(state)) {
        String[] left = Files.readSymbolicLink(state).toString().split("-", -1);
        if (ProcessHandle.of(Long.parseLong(left[1])).isPresent()) {
          throw new UnavailableException(
              "another run has the read-ahead in " + setting + " pinned: wait for its end");
        }
        new ReadAhead(setting, state, Long.parseLong(left[0])).close();
      }
      String before = Files.readString(setting).strip();
      Files.writeString(setting, before); // If it cannot be written, nothing is to be put back.
      Files.createSymbolicLink(state, Path.of(before + "-" + ProcessHandle.current().pid()));
      Files.writeString(setting, Long.toString(kibibytes));
      return new ReadAhead(setting, state, Long.parseLong(before));
    } catch (IOException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root");
    }
  }

  /** Finds the setting of the device that a path is on; a partition's is that of its disk. */
  public static Path setting(Path sys, Path path) throws UnavailableException {
    try {
      Path node = BlockDevice.node(sys, path);
      Path disk = Files.exists(node.resolve("partition")) ? node.getParent() : node;
      return disk.resolve("queue/read_ahead_kb").toRealPath();
    } catch (IOException | RuntimeException e) {
      throw new UnavailableException(
          path + " is on no block device whose read-ahead could be set (" + e + ")");
    }
  }

  /** Puts back what was; if that fails, the next run does. */
  @Override
  public void close() throws IOException {
    try {
      Files.writeString(setting, Long.toString(before));
      Files.deleteIfExists(state);
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
