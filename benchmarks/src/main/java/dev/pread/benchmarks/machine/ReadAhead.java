/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.util.IOUtils;

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

  private final Path setting;
  private final RandomAccessFile state;
  private long before;

  private ReadAhead(Path setting, RandomAccessFile state) {
    this.setting = setting;
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
  static ReadAhead pin(Path setting, Path stateFolder, long kibibytes) throws UnavailableException {
    String name = "lucene-pread" + setting.toString().replaceAll("[/\\\\:]", "-");
    RandomAccessFile state = null;
    ReadAhead pinned = null;
    try {
      state = new RandomAccessFile(stateFolder.resolve(name).toFile(), "rw");
      pinned = new ReadAhead(setting, state);
      pinned.lock();
      pinned.set(kibibytes);
      state = null;
      return pinned;
    } catch (IOException | NumberFormatException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root", e);
    } finally {
      IOUtils.closeWhileHandlingException(state);
    }
  }

  private void lock() throws IOException, UnavailableException {
    FileLock lock = null;
    try {
      lock = state.getChannel().tryLock();
    } catch (OverlappingFileLockException inThisProcess) {
      // As held as by another process.
    }
    if (lock == null) {
      throw new UnavailableException(
          "another run has the read-ahead in " + setting + " pinned: wait for its end");
    }
  }

  private void set(long kibibytes) throws IOException {
    byte[] left = new byte[(int) state.length()];
    state.readFully(left);
    before =
        Long.parseLong(
            left.length > 0
                ? new String(left, StandardCharsets.US_ASCII)
                : Files.readString(setting).strip());
    remember(Long.toString(before));
    Files.writeString(setting, Long.toString(kibibytes));
  }

  private void remember(String text) throws IOException {
    state.setLength(0);
    state.write(text.getBytes(StandardCharsets.US_ASCII));
    state.getFD().sync();
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
    if (!state.getChannel().isOpen()) {
      return;
    }
    try (state) {
      Files.writeString(setting, Long.toString(before));
      remember("");
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
