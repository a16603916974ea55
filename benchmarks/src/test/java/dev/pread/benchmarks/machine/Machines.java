/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.harness.MemoryCgroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a test needs of the machine; it is skipped where that is not to be had. */
public final class Machines {
  private Machines() {}

  public static void assumeLinuxOnDisk(Path folder) throws IOException {
    assumeTrue(System.getProperty("os.name").equals("Linux"), "needs Linux");
    String type = Files.getFileStore(folder).type();
    assumeFalse(List.of("tmpfs", "ramfs").contains(type), "needs a disk, not " + type);
  }

  /** Root on a machine whose memory cgroups may be changed, and a disk. */
  public static void assumeCgroups(Path folder) throws IOException {
    assumeLinuxOnDisk(folder);
    try {
      MemoryCgroup.create(64L << 20).close();
    } catch (IOException e) {
      abort(e.getMessage());
    }
  }
}
