/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.OpenRules;
import java.util.Collection;
import java.util.Set;
import org.elasticsearch.index.StandardIOBehaviorHint;
import org.elasticsearch.index.store.Store;

/** How the files of a shard are opened in this generation of the server, with Lucene 10. */
final class ShardRules {

  private ShardRules() {}

  /**
   * Returns how files are opened: with the server's own hints, of which one says that only the last
   * bytes of a file are read, and one that it is not read at random, whatever Lucene says.
   *
   * @param preload the extensions of the files that {@code index.store.preload} names
   */
  static OpenRules of(Collection<String> preload) {
    return new OpenRules(
        Set.copyOf(preload),
        Set.of(Store.FileFooterOnly.INSTANCE),
        Set.of(StandardIOBehaviorHint.INSTANCE));
  }
}
