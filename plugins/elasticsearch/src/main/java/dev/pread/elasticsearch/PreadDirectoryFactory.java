/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.lucene.store.Directory;
import org.elasticsearch.index.IndexModule;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.shard.ShardPath;
import org.elasticsearch.index.store.FsDirectoryFactory;
import org.elasticsearch.plugins.IndexStorePlugin;

/**
 * Makes the directory of a shard of one store type, from the settings of its index and of the node.
 *
 * <ul>
 *   <li>{@code index.store.fs.fs_lock} is honoured as with the server's own types.
 *   <li>{@code index.store.preload} has the kernel read the files that it names into the page cache
 *       when they are opened; {@code pread_direct} does not read from there and ignores it.
 *   <li>{@code hybridfs} maps some kinds of files and reads others, so that large files that are
 *       read at random don't push the rest out of the page cache. Here there is nothing to choose:
 *       all files are read the same way, and what stays in memory is decided block by block, by the
 *       one cache. The direct reads that it uses for some vectors are those of all files with
 *       {@code pread_direct}; {@code pread} reads these vectors through the page cache, too.
 * </ul>
 */
final class PreadDirectoryFactory implements IndexStorePlugin.DirectoryFactory {

  private final StoreType type;
  private final Supplier<NodeDirectories> node;

  /**
   * @param node asked when a shard is opened
   */
  PreadDirectoryFactory(StoreType type, Supplier<NodeDirectories> node) {
    this.type = type;
    this.node = node;
  }

  @Override
  public Directory newDirectory(IndexSettings index, ShardPath shard) throws IOException {
    return node.get()
        .open(
            type,
            shard.resolveIndex(),
            index.getValue(FsDirectoryFactory.INDEX_LOCK_FACTOR_SETTING),
            ShardRules.of(index.getValue(IndexModule.INDEX_STORE_PRE_LOAD_SETTING)));
  }
}
