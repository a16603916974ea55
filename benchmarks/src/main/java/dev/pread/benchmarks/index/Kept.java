/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.util.IOFunction;
import org.apache.lucene.util.IOUtils;

/**
 * What a complete index in a work folder was made of, so that a later run can take it.
 *
 * @param origin all that it depends on: an index of another origin is not taken
 * @param documents in it
 * @param copies how often the text was taken
 */
public record Kept(String origin, long documents, double copies) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FILE = "kept.json";

  /** The one that an earlier run left in a work folder; null if there is none of that origin. */
  public static Kept in(Path work, String origin) {
    try {
      Kept kept = JSON.readValue(work.resolve(FILE).toFile(), Kept.class);
      return origin.equals(kept.origin()) ? kept : null;
    } catch (IOException noneOrDamaged) {
      return null;
    }
  }

  /** Says in the work folder that it is complete. */
  public void write(Path work) throws IOException {
    Files.write(work.resolve(FILE), JSON.writeValueAsBytes(this));
  }

  /**
   * Takes the one that an earlier run left, or has it made.
   *
   * @param maker makes the index in a folder; it returns null if it was stopped
   * @return null, and nothing is left, if it was stopped
   */
  public static Kept take(Path work, Path index, String origin, IOFunction<Path, Kept> maker)
      throws IOException {
    Kept kept = in(work, origin);
    if (kept == null) {
      forget(work, index);
      try {
        kept = IndexErrors.building(work, () -> maker.apply(index));
      } finally {
        if (kept == null) {
          forget(work, index);
        }
      }
      if (kept != null) {
        kept.write(work);
      }
    }
    return kept;
  }

  /** Deletes what was kept. */
  public static void forget(Path work, Path index) throws IOException {
    Files.deleteIfExists(work.resolve(FILE));
    IOUtils.rm(index);
  }
}
