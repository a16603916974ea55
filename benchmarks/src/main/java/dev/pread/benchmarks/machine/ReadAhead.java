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
 * <p>The value of before, in KiB, is also kept in a locked file among the system's run-time state.
 * So two runs cannot take each other's value for the original one, and what a killed run could not
 * put back, the next one does. The file is never deleted, only emptied: who has just opened it
 * would lock one that is gone.
 */
public record ReadAhead(Path setting, RandomAccessFile state, long before) implements Closeable {

  /** Pins the read-ahead, in KiB, of the device that a path is on. */
  public static ReadAhead pin(Path path, long kibibytes) {
    return pin(setting(Path.of("/sys"), path), Path.of("/run"), kibibytes);
  }

  static ReadAhead pin(Path setting, Path stateFolder, long kibibytes) {
    Path path = stateFolder.resolve("lucene-pread" + setting.toString().replaceAll("[/:]", "-"));
    RandomAccessFile state = null;
    try {
      state = new RandomAccessFile(path.toFile(), "rw");
      if (state.getChannel().tryLock() == null) {
        throw new OverlappingFileLockException(); // As it is within one JVM.
      }
      byte[] bytes = new byte[(int) state.length()];
      state.readFully(bytes);
      String left = new String(bytes, StandardCharsets.US_ASCII);
      long before = Long.parseLong((left.isEmpty() ? Files.readString(setting) : left).strip());
      Files.writeString(setting, "" + before); // If it cannot be written, nothing is to be kept.
      state.setLength(0);
      state.write(("" + before).getBytes(StandardCharsets.US_ASCII));
      Files.writeString(setting, "" + kibibytes);
      ReadAhead pinned = new ReadAhead(setting, state, before);
      state = null;
      return pinned;
    } catch (OverlappingFileLockException e) {
      throw new UnavailableException(
          "another run has the read-ahead in " + setting + " pinned (" + path + "): wait for it");
    } catch (IOException | RuntimeException e) {
      String which = setting + ", kept in " + path;
      throw new UnavailableException(
          "the read-ahead in " + which + ", cannot be set (" + e + "): run as root");
    } finally {
      IOUtils.closeWhileHandlingException(state);
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

  /** Puts back what was; if that fails, the next run does. */
  @Override
  public void close() throws IOException {
    try (state) {
      Files.writeString(setting, "" + before);
      state.setLength(0);
    } catch (IOException e) {
      throw new IOException(
          "the read-ahead cannot be put back: echo " + before + " > " + setting, e);
    }
  }
}
