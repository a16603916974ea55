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
 * @param copies how often the text was taken
 */
public record Kept(String origin, long documents, double copies) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Takes the index that an earlier run left, or has it made.
   *
   * @param maker makes the index in a folder; it returns null if it was stopped
   * @return null, and nothing is left, if it was stopped
   */
  public static Kept take(Path work, Path index, String origin, IOFunction<Path, Kept> maker)
      throws IOException {
    Path file = work.resolve("kept.json");
    try {
      Kept kept = JSON.readValue(file.toFile(), Kept.class);
      if (origin.equals(kept.origin())) {
        return kept;
      }
    } catch (IOException noneOrDamaged) {
      // It is made anew.
    }
    Files.deleteIfExists(file);
    IOUtils.rm(index);
    Kept made = null;
    try {
      made = IndexErrors.building(work, () -> maker.apply(index));
    } finally {
      if (made == null) {
        IOUtils.rm(index);
      }
    }
    if (made != null) {
      Files.write(file, JSON.writeValueAsBytes(made));
    }
    return made;
  }
}
