/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.DirectoryReader;

/**
 * Remembers which version of some keys was written last, to look for it afterwards. Only some, so
 * that the memory they take is small beside what is measured. Thread-safe.
 */
final class Newest {
  /** One key of so many is followed. */
  private static final int OF = 32;

  private final Map<Long, Long> versions = new ConcurrentHashMap<>();

  /** A write. */
  interface Write {
    /** Writes it. */
    void run() throws IOException;
  }

  /** Writes a version of a key, and remembers it if the key is one of those that are followed. */
  void write(long key, long version, Write write) throws IOException {
    if (key % OF != 0) {
      write.run();
      return;
    }
    try {
      // One at a time for each key, so that the versions here are in the order of the index.
      versions.compute(
          key,
          (same, before) -> {
            try {
              write.run();
              return version;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Checks that the index has the newest version of all keys that are followed.
   *
   * @param docs that are to be alive
   * @throws HitMismatch if not
   */
  void check(DirectoryReader reader, long docs) throws IOException, HitMismatch {
    if (reader.numDocs() != docs) {
      throw new HitMismatch(
          "the index has " + reader.numDocs() + " documents, and " + docs + " are to be there",
          null);
    }
    KeyReader keys = new KeyReader(reader);
    for (Map.Entry<Long, Long> entry : versions.entrySet()) {
      long version = keys.fetch(keys.find(entry.getKey()), entry.getKey()).version();
      if (version != entry.getValue()) {
        throw new HitMismatch(
            "document "
                + entry.getKey()
                + " has version "
                + version
                + ", and "
                + entry.getValue()
                + " was written last",
            null);
      }
    }
  }
}
