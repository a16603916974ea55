/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An index that is complete, and can be kept for the next run.
 *
 * @param origin what it was made of
 * @param documents in it, whose keys are the numbers from 0
 * @param copies how often the text was taken
 */
record FilledIndex(String origin, long documents, int copies) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FILE = "filled.json";

  /** The one that an earlier run kept in a folder; null if there is none of that origin. */
  static FilledIndex kept(Path folder, String origin) {
    try {
      FilledIndex kept = JSON.readValue(folder.resolve(FILE).toFile(), FilledIndex.class);
      return origin.equals(kept.origin()) ? kept : null;
    } catch (IOException noneOrDamaged) {
      return null;
    }
  }

  /** Forgets what was kept, before it is changed. */
  static void forget(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(FILE));
  }

  /** Says in the folder that it is complete. */
  void keep(Path folder) throws IOException {
    Files.write(folder.resolve(FILE), JSON.writeValueAsBytes(this));
  }
}
