/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.util.IOUtils;

/**
 * Pins the read-ahead of the block device under a path until {@link #close()} puts back what it
 * was: devices come with anything from 128 KiB to 8 MiB, and page faults read that much each.
 *
 * <p>The value of before is also kept in a locked file among the system's run-time state. So two
 * runs cannot take each other's value for the original one, and what a killed run could not put
 * back, the next one does. Not thread-safe.
 *
 * @param setting the kernel's file
 * @param state the locked file with the value of before; empty when that is put back. It is never
 *     deleted: who has just opened it would lock a file that is gone, beside one who makes it anew
 * @param before what it was, in KiB
 */
public record ReadAhead(Path setting, RandomAccessFile state, long before) implements Closeable {
  private static final Path SYS = Path.of("/sys");
  private static final Path STATE = Path.of("/run");

  /**
   * Pins the read-ahead.
   *
   * @param path of a file or folder on the device
   * @param kibibytes to pin it to
   * @throws UnavailableException without root, on anything that is not a block device, or while
   *     another run has it pinned
   */
  public static ReadAhead pin(Path path, long kibibytes) throws UnavailableException {
    return pin(setting(SYS, path), STATE, kibibytes);
  }

  static ReadAhead pin(Path setting, Path stateFolder, long kibibytes) throws UnavailableException {
    String name = "lucene-pread" + setting.toString().replaceAll("[/\\\\:]", "-");
    RandomAccessFile state = null;
    try {
      state = new RandomAccessFile(stateFolder.resolve(name).toFile(), "rw");
      lock(state, setting);
      byte[] bytes = new byte[(int) state.length()];
      state.readFully(bytes);
      String left = new String(bytes, StandardCharsets.US_ASCII);
      long before = Long.parseLong(left.isEmpty() ? Files.readString(setting).strip() : left);
      remember(state, Long.toString(before));
      set(setting, kibibytes, state, left);
      ReadAhead pinned = new ReadAhead(setting, state, before);
      state = null;
      return pinned;
    } catch (IOException | NumberFormatException e) {
      throw new UnavailableException(
          "the read-ahead in " + setting + " cannot be set (" + e + "): run as root", e);
    } finally {
      IOUtils.closeWhileHandlingException(state);
    }
  }

  private static void lock(RandomAccessFile state, Path setting)
      throws IOException, UnavailableException {
    boolean locked = false;
    try {
      locked = state.getChannel().tryLock() != null;
    } catch (OverlappingFileLockException inThisProcess) {
      // As held as by another process.
    }
    if (!locked) {
      throw new UnavailableException(
          "another run has the read-ahead in " + setting + " pinned: wait for its end");
    }
  }

  private static void remember(RandomAccessFile state, String text) throws IOException {
    state.setLength(0);
    state.write(text.getBytes(StandardCharsets.US_ASCII));
    state.getFD().sync();
  }

  /** Sets it; if that fails, the state is what was left in it, as nothing is to be put back. */
  private static void set(Path setting, long kibibytes, RandomAccessFile state, String left)
      throws IOException {
    try {
      Files.writeString(setting, Long.toString(kibibytes));
    } catch (IOException e) {
      remember(state, left);
      throw e;
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
    if (!state.getChannel().isOpen()) {
      return;
    }
    try (state) {
      Files.writeString(setting, Long.toString(before));
      remember(state, "");
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
