/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.OpenRules;
import dev.pread.plugin.StoreType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.index.IndexSettings;
import org.opensearch.plugins.IndexStorePlugin;

/** What this generation of the server asks of a factory, and how Lucene 10 is told to preload. */
abstract class ShardDirectoryFactory implements IndexStorePlugin.DirectoryFactory {

  private final StoreType type;
  private final Supplier<NodeDirectories> node;

  ShardDirectoryFactory(StoreType type, Supplier<NodeDirectories> node) {
    this.type = type;
    this.node = node;
  }

  /**
   * Opens the directory of a shard. It is wrapped once, since OpenSearch 3.4 to 3.7 look through
   * one wrapper, and no more, when an index is warm.
   *
   * @param preload the extensions of the files that {@code index.store.preload} names
   */
  final Directory open(Path path, LockFactory locks, Set<String> preload) throws IOException {
    return node.get().open(type, path, locks, new OpenRules(preload, Set.of(), Set.of()));
  }

  /**
   * Opens a directory beside that of a shard, such as one for a part of an index that is about to
   * be added to it.
   *
   * @return an {@code FSDirectory}, since the server casts it
   */
  @Override
  public FSDirectory newFSDirectory(Path path, LockFactory locks, IndexSettings settings)
      throws IOException {
    return node.get().openBeside(type, path, locks);
  }
}
