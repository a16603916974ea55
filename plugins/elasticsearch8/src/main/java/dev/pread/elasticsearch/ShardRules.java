/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.lucene9.Preload;
import java.util.Collection;
import java.util.Set;

/** How the files of a shard are opened in this generation of the server, with Lucene 9. */
final class ShardRules {

  private ShardRules() {}

  static Preload of(Collection<String> preload) {
    return new Preload(Set.copyOf(preload));
  }
}
