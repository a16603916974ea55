/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
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

  /** Locks, so that versions of a key that is followed are written in the order of the map. */
  private static final int STRIPES = 64;

  private final Map<Long, Long> versions = new ConcurrentHashMap<>();
  private final Object[] stripes = new Object[STRIPES];

  Newest() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Object();
    }
  }

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
    synchronized (stripes[(int) (key / OF % STRIPES)]) {
      write.run();
      versions.put(key, version);
    }
  }

  /** How many keys are followed. */
  int size() {
    return versions.size();
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
      keys.fetch(keys.find(entry.getKey()), entry.getKey());
      if (keys.fetched().version() != entry.getValue()) {
        throw new HitMismatch(
            "document "
                + entry.getKey()
                + " has version "
                + keys.fetched().version()
                + ", and "
                + entry.getValue()
                + " was written last",
            null);
      }
    }
  }
}
