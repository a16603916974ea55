/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.harness.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells what the kernel counts for the block device under a path: all of its traffic, whoever
 * causes it. All is unknown if there is none.
 */
public record BlockDevice(Path stat) {
  private static final Path SYS = Path.of("/sys");

  /** The unit of the counters in {@code stat}, whatever the device's own sectors are. */
  private static final long SECTOR = 512;

  /** Finds the device, or partition, that a file or folder is on. */
  public static BlockDevice under(Path path) {
    try {
      return new BlockDevice(node(SYS, path).resolve("stat"));
    } catch (IOException | RuntimeException none) {
      return new BlockDevice(SYS.resolve("none"));
    }
  }

  /** Finds where the kernel describes the device, or partition, that a path is on. */
  static Path node(Path sys, Path path) throws IOException {
    long device = ((Number) Files.getAttribute(path, "unix:dev")).longValue();
    // As gnu_dev_major and gnu_dev_minor of glibc take them out of a device number.
    long major = (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
    long minor = (device & 0xff) | (device >>> 12 & ~0xffL);
    Path node = sys.resolve("dev/block/" + major + ":" + minor);
    if (!Files.exists(node)) {
      // File systems like btrfs have device numbers of their own, but name their device.
      Path name = Path.of(Files.getFileStore(path).name()).toRealPath().getFileName();
      node = sys.resolve("class/block").resolve(name);
    }
    return node.toRealPath();
  }

  /** Returns the bytes that were read from it since the machine started; -1 if that is unknown. */
  public long bytesRead() {
    return bytes(2); // The third counter, see Documentation/block/stat.rst of the kernel.
  }

  /** Returns the bytes that were written to it since the machine started; -1 if that is unknown. */
  public long bytesWritten() {
    return bytes(6);
  }

  private long bytes(int countersBefore) {
    long sectors = ProcessFigures.number(stat, "(?:\\s*\\d+\\s){" + countersBefore + "}");
    return sectors < 0 ? -1 : SECTOR * sectors;
  }
}
