/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the kernel counts for the block device under a path: all of its traffic, whoever causes it.
 * Thread-safe.
 */
public final class BlockDevice {
  private static final Path SYS = Path.of("/sys");

  /** Of the counters in {@code stat}, whatever the device's own sectors are. */
  private static final long SECTOR = 512;

  private static final int SECTORS_READ = 2;
  private static final int SECTORS_WRITTEN = 6;

  private final Path stat;

  private BlockDevice(Path stat) {
    this.stat = stat;
  }

  /**
   * Bytes that went through the device; -1 for what is unknown.
   *
   * @param read from it
   * @param written to it
   */
  public record Traffic(long read, long written) {
    private static final Traffic UNKNOWN = new Traffic(-1, -1);

    /** What came on top of an earlier count. */
    public Traffic since(Traffic before) {
      return read < 0 || before.read < 0
          ? UNKNOWN
          : new Traffic(read - before.read, written - before.written);
    }
  }

  /** The device, or partition, that a file or folder is on; without one all is unknown. */
  public static BlockDevice under(Path path) {
    try {
      return new BlockDevice(node(SYS, path).resolve("stat"));
    } catch (IOException | RuntimeException none) {
      return new BlockDevice(null);
    }
  }

  /** Where the kernel describes the device, or partition, that a path is on. */
  static Path node(Path sys, Path path) throws IOException {
    long device = ((Number) Files.getAttribute(path, "unix:dev")).longValue();
    Path node = sys.resolve("dev/block/" + major(device) + ":" + minor(device));
    if (!Files.exists(node)) {
      // File systems like btrfs have device numbers of their own, but name their device.
      Path name = Path.of(Files.getFileStore(path).name()).toRealPath().getFileName();
      node = sys.resolve("class/block").resolve(name);
    }
    return node.toRealPath();
  }

  /** As glibc's gnu_dev_major takes it out of a device number. */
  private static long major(long device) {
    return (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
  }

  private static long minor(long device) {
    return (device & 0xff) | (device >>> 12 & ~0xffL);
  }

  /** All traffic since the machine started. */
  public Traffic traffic() {
    try {
      return stat == null ? Traffic.UNKNOWN : parse(Files.readString(stat));
    } catch (IOException unreadable) {
      return Traffic.UNKNOWN;
    }
  }

  /** Takes a line of the kernel's apart, see Documentation/block/stat.rst there. */
  static Traffic parse(String line) {
    List<String> counters = List.of(line.strip().split("\\s+"));
    try {
      return new Traffic(
          SECTOR * Long.parseLong(counters.get(SECTORS_READ)),
          SECTOR * Long.parseLong(counters.get(SECTORS_WRITTEN)));
    } catch (NumberFormatException | IndexOutOfBoundsException other) {
      return Traffic.UNKNOWN;
    }
  }
}
