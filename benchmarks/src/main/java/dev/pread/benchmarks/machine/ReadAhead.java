/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The read-ahead of the block device under a path, pinned until {@link #close()} puts back what it
 * was: devices come with anything from 128 KiB to 8 MiB, and page faults read that much each.
 *
 * <p>The value of before is also kept among the system's run-time state, with the process that has
 * pinned it. So two runs do not take each other's value for the original one, and what a killed run
 * could not put back, the next one does. Not thread-safe.
 *
 * @param setting the kernel's file
 * @param state the file with the process and the value of before; gone when that is put back
 * @param before what it was, in KiB
 */
public record ReadAhead(Path setting, Path state, long before) implements Closeable {
  private static final Path SYS = Path.of("/sys");
  private static final Path STATE = Path.of("/run");
  private static final Pattern LEFT = Pattern.compile("(\\d{1,18}) (\\d{1,18})");

  /**
   * Pins it.
   *
   * @param path of a file or folder on the device
   * @param kibibytes to pin it to
   * @throws UnavailableException without root, on anything that is not a block device, or while
   *     another run has it pinned
   */
  public static ReadAhead pin(Path path, long kibibytes) throws UnavailableException {
    return pin(setting(SYS, path), STATE, kibibytes);
  }

  /** The same for a known setting and another folder for the state. */
  static ReadAhead pin(Path setting, Path stateFolder, long kibibytes) throws UnavailableException {
    Path state =
        stateFolder.resolve("lucene-pread" + setting.toString().replaceAll("[/\\\\:]", "-"));
    Matcher left = LEFT.matcher(ProcessFigures.text(state));
    boolean pinned = left.matches();
    if (pinned && ProcessHandle.of(Long.parseLong(left.group(1))).isPresent()) {
      throw new UnavailableException(
          "another run has the read-ahead in " + setting + " pinned: wait for its end");
    }
    try {
      long before = Long.parseLong(pinned ? left.group(2) : Files.readString(setting).strip());
      Files.writeString(state, ProcessHandle.current().pid() + " " + before);
      Files.writeString(setting, Long.toString(kibibytes));
      return new ReadAhead(setting, state, before);
    } catch (IOException | NumberFormatException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root", e);
    }
  }

  /** The setting of the device that a path is on; a partition's is that of its disk. */
  public static Path setting(Path sys, Path path) throws UnavailableException {
    try {
      Path node = BlockDevice.node(sys, path);
      Path disk = Files.exists(node.resolve("partition")) ? node.getParent() : node;
      return disk.resolve("queue/read_ahead_kb").toRealPath();
    } catch (IOException | RuntimeException e) {
      throw new UnavailableException(
          path + " is on no block device whose read-ahead could be set (" + e + ")", e);
    }
  }

  /**
   * Puts back what was.
   *
   * @throws IOException if that fails; the next run then puts it back
   */
  @Override
  public void close() throws IOException {
    if (!Files.exists(state)) {
      return;
    }
    try {
      Files.writeString(setting, Long.toString(before));
      Files.delete(state);
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
