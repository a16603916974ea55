/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.DirectPreadDirectory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.store.FSDirectory;

/** The directories of this plugin that are open on a node: one per shard. Thread-safe. */
final class OpenDirectories {

  private final Set<FSDirectory> open = ConcurrentHashMap.newKeySet();

  void opened(FSDirectory directory) {
    open.add(directory);
  }

  /** Harmless when called again. */
  void closed(FSDirectory directory) {
    open.remove(directory);
  }

  Stats stats() {
    int buffered = 0;
    int direct = 0;
    int fellBack = 0;
    for (FSDirectory directory : open) {
      if (directory instanceof DirectPreadDirectory past) {
        direct++;
        fellBack += past.usesPageCache() ? 1 : 0;
      } else {
        buffered++;
      }
    }
    return new Stats(buffered, direct, fellBack);
  }

  /**
   * How many are open.
   *
   * @param buffered of type {@code pread}
   * @param direct of type {@code pread_direct}
   * @param fellBack of those the ones that have read or written a file through the page cache,
   *     because direct I/O could not be had
   */
  record Stats(int buffered, int direct, int fellBack) {

    /**
     * Whether those of type {@code pread_direct} read past the page cache: {@code yes}, {@code
     * partly}, {@code no}, or {@code none} where none is open.
     */
    String directIo() {
      if (direct == 0) {
        return "none";
      }
      if (fellBack == 0) {
        return "yes";
      }
      return fellBack < direct ? "partly" : "no";
    }
  }
}
