/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Pins the read-ahead of the block device under a path until {@link #close()} puts back what it
 * was: devices come with anything from 128 KiB to 8 MiB, and page faults read that much each. A run
 * that is killed leaves it pinned, and its {@code --json} file says what it was.
 */
public record ReadAhead(Path setting, long before) implements Closeable {

  /** Pins the read-ahead, in KiB, of the device that a path is on. */
  public static ReadAhead pin(Path path, long kibibytes) {
    return pinSetting(setting(Path.of("/sys"), path), kibibytes);
  }

  static ReadAhead pinSetting(Path setting, long kibibytes) {
    try {
      long before = Long.parseLong(Files.readString(setting).strip());
      Files.writeString(setting, "" + kibibytes);
      return new ReadAhead(setting, before);
    } catch (IOException | RuntimeException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root");
    }
  }

  /** Finds the setting of the device that a path is on; a partition's is that of its disk. */
  public static Path setting(Path sys, Path path) {
    try {
      Path node = BlockDevice.node(sys, path);
      Path disk = Files.exists(node.resolve("partition")) ? node.getParent() : node;
      return disk.resolve("queue/read_ahead_kb").toRealPath();
    } catch (IOException | RuntimeException e) {
      throw new UnavailableException(
          path + " is on no block device whose read-ahead could be set (" + e + ")");
    }
  }

  /** Puts back what was. */
  @Override
  public void close() throws IOException {
    try {
      Files.writeString(setting, "" + before);
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
