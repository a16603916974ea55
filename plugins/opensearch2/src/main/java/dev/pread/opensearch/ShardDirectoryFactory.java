/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import dev.pread.plugin.lucene9.Preload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.index.IndexSettings;
import org.opensearch.plugins.IndexStorePlugin;

/** What this generation of the server asks of a factory, and how Lucene 9 is told to preload. */
abstract class ShardDirectoryFactory implements IndexStorePlugin.DirectoryFactory {

  /** Opens a directory beside that of a shard, which later generations ask for. */
  abstract Directory newFSDirectory(Path path, LockFactory locks, IndexSettings settings)
      throws IOException;

  static Directory open(
      NodeDirectories node, StoreType type, Path path, LockFactory locks, Set<String> preload)
      throws IOException {
    return new PrivilegedDirectory(
        Privileged.open(() -> node.open(type, path, locks, new Preload(preload))));
  }
}
