/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import dev.pread.plugin.lucene9.Preload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.plugins.IndexStorePlugin;

/** What this generation of the server asks of a factory, and how Lucene 9 is told to preload. */
abstract class ShardDirectoryFactory implements IndexStorePlugin.DirectoryFactory {

  private final StoreType type;
  private final Supplier<NodeDirectories> node;

  ShardDirectoryFactory(StoreType type, Supplier<NodeDirectories> node) {
    this.type = type;
    this.node = node;
  }

  /**
   * Opens the directory of a shard.
   *
   * @param preload the extensions of the files that {@code index.store.preload} names
   */
  final Directory open(Path path, LockFactory locks, Set<String> preload) throws IOException {
    return new PrivilegedDirectory(
        Privileged.open(() -> node.get().open(type, path, locks, new Preload(preload))));
  }
}
