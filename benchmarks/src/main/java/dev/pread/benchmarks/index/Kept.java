/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.ByteSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.util.IOFunction;
import org.apache.lucene.util.IOUtils;
import org.apache.lucene.util.Version;

/**
 * Says what a complete index in a work folder was made of, so that a later run can take it.
 *
 * @param origin all that it depends on: an index of another origin is not taken
 * @param copies how often the text was taken
 */
public record Kept(String origin, long documents, double copies) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Takes the index that an earlier run left, or has it made.
   *
   * @param maker makes the index in a folder; if it fails, nothing is left there
   */
  public static Kept take(Path work, Path index, String origin, IOFunction<Path, Kept> maker)
      throws IOException {
    // Another version may write another format, or not be able to read this one.
    String whole = origin + " " + Version.LATEST;
    Path file = work.resolve("kept.json");
    try {
      Kept kept = JSON.readValue(file.toFile(), Kept.class);
      if (whole.equals(kept.origin())) {
        return kept;
      }
    } catch (IOException noneOrDamaged) {
      // It is made anew.
    }
    Files.deleteIfExists(file);
    IOUtils.rm(index);
    try {
      Kept kept = maker.apply(index);
      Kept made = new Kept(whole, kept.documents(), kept.copies());
      JSON.writeValue(file.toFile(), made);
      return made;
    } catch (Exception e) {
      IOUtils.rm(index);
      throw e;
    }
  }

  public String describe(String documentsAre, long bytes) {
    String repeated = copies > 1 ? ", the text REPLICATED %.1f times" : "";
    return String.format(
        Locale.ROOT,
        "index of %,d %s%s, %s",
        documents,
        documentsAre,
        String.format(Locale.ROOT, repeated, copies),
        ByteSize.format(bytes));
  }

  /** Takes some of the texts that it was made of, spread evenly over the corpus. */
  public List<String> sample(Path corpus, int count) throws IOException {
    long once = (long) Math.ceil(documents / Math.max(1, copies));
    long most = Math.min(count, once);
    List<String> sample = new ArrayList<>();
    try (TextFeed feed = TextFeed.open(corpus)) {
      feed.limit(once);
      for (TextFeed.Chunk chunk = feed.next(); chunk != null; chunk = feed.next()) {
        if (chunk.number() == sample.size() * once / most) {
          sample.add(chunk.text());
        }
      }
    }
    return sample;
  }
}
