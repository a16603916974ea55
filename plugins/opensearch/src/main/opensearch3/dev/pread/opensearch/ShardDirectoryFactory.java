/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.OpenRules;
import dev.pread.plugin.StoreType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.plugins.IndexStorePlugin;

/** What this generation of the server asks of a factory, and how Lucene 10 is told to preload. */
abstract class ShardDirectoryFactory implements IndexStorePlugin.DirectoryFactory {

  /**
   * Opens the directory of a shard. It is wrapped once, since OpenSearch 3.4 to 3.7 look through
   * one wrapper, and no more, when an index is warm.
   *
   * @param preload the extensions of the files that {@code index.store.preload} names
   */
  static Directory open(
      NodeDirectories node, StoreType type, Path path, LockFactory locks, Set<String> preload)
      throws IOException {
    return node.open(type, path, locks, new OpenRules(preload, Set.of(), Set.of()));
  }
}
