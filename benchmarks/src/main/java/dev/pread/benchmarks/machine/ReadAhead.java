/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The read-ahead of the block device under a path, pinned until {@link #close()} puts back what it
 * was: devices come with anything from 128 KiB to 8 MiB, and page faults read that much each.
 *
 * <p>The value of before is also kept in a locked file among the system's run-time state. So two
 * runs cannot take each other's value for the original one, and what a killed run could not put
 * back, the next one does. Not thread-safe.
 */
public final class ReadAhead implements Closeable {
  private static final Path SYS = Path.of("/sys");
  private static final Path STATE = Path.of("/run");

  private static final int MAX_STATE = 32;

  private final Path setting;
  private final long before;
  private final FileChannel state;
  private boolean closed;

  private ReadAhead(Path setting, long before, FileChannel state) {
    this.setting = setting;
    this.before = before;
    this.state = state;
  }

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
  public static ReadAhead pin(Path setting, Path stateFolder, long kibibytes)
      throws UnavailableException {
    Path stateFile =
        stateFolder.resolve("lucene-pread" + setting.toString().replaceAll("[/\\\\:]", "-"));
    FileChannel state = null;
    try {
      state =
          FileChannel.open(
              stateFile,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      lock(state, setting);
      String left = read(state);
      long before = left.isEmpty() ? value(setting) : Long.parseLong(left);
      write(state, Long.toString(before));
      Files.writeString(setting, Long.toString(kibibytes));
      ReadAhead pinned = new ReadAhead(setting, before, state);
      state = null;
      return pinned;
    } catch (IOException | NumberFormatException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root", e);
    } finally {
      closeQuietly(state);
    }
  }

  private static void lock(FileChannel state, Path setting)
      throws IOException, UnavailableException {
    FileLock lock = null;
    try {
      lock = state.tryLock();
    } catch (OverlappingFileLockException inThisProcess) {
      // As held as by another process.
    }
    if (lock == null) {
      throw new UnavailableException(
          "another run has the read-ahead in " + setting + " pinned: wait for its end");
    }
  }

  /** The setting of the device that a path is on; a partition's is that of its disk. */
  public static Path setting(Path sys, Path path) throws UnavailableException {
    String failure = "";
    try {
      Path node = BlockDevice.node(sys, path);
      Path disk = Files.exists(node.resolve("partition")) ? node.getParent() : node;
      Path setting = disk.resolve("queue/read_ahead_kb");
      if (Files.exists(setting)) {
        return setting;
      }
    } catch (IOException | RuntimeException e) {
      failure = " (" + e + ")";
    }
    throw new UnavailableException(
        path + " is on no block device whose read-ahead could be set" + failure);
  }

  private static long value(Path setting) throws IOException {
    return Long.parseLong(Files.readString(setting).strip());
  }

  /** What it was, in KiB. */
  public long before() {
    return before;
  }

  /**
   * Puts back what was.
   *
   * @throws IOException if that fails; the next run then puts it back
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Files.writeString(setting, Long.toString(before));
      write(state, "");
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    } finally {
      closeQuietly(state);
    }
  }

  private static void closeQuietly(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException released) {
        // The lock is gone with the descriptor either way.
      }
    }
  }

  private static String read(FileChannel state) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_STATE);
    state.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
  }

  private static void write(FileChannel state, String text) throws IOException {
    state.truncate(0);
    state.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
    state.force(false);
  }
}
