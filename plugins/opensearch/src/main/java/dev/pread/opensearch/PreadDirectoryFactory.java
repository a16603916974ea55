/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.index.IndexModule;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.shard.ShardPath;
import org.opensearch.index.store.FsDirectoryFactory;

/**
 * Opens the directories of shards whose {@code index.store.type} is {@code pread} or {@code
 * pread_direct}. {@code index.store.fs.fs_lock} means what it means for the types of OpenSearch.
 *
 * <p><b>{@code index.store.preload}</b> has the kernel read the files it names into the page cache
 * in the background when they are opened. {@code pread_direct} has no page cache and leaves it at
 * that: what is read first, stays.
 *
 * <p><b>No choice per file.</b> {@code hybridfs} maps some files and reads others, by their
 * extension ({@code index.store.hybrid.*}), because each way is bad at something: mapping at what
 * does not fit into memory, reading at small pieces. Here all files are read in the same way and
 * small pieces come out of the block cache, so there is nothing to choose and those settings have
 * no effect; what merges read once passes the cache by itself.
 */
final class PreadDirectoryFactory extends ShardDirectoryFactory {

  private final StoreType type;
  private final Supplier<NodeDirectories> node;

  /**
   * @param node asked when the first directory is opened, since it is made after this
   */
  PreadDirectoryFactory(StoreType type, Supplier<NodeDirectories> node) {
    this.type = type;
    this.node = node;
  }

  @Override
  public Directory newDirectory(IndexSettings settings, ShardPath shard) throws IOException {
    Path path = shard.resolveIndex();
    Files.createDirectories(path);
    LockFactory locks = settings.getValue(FsDirectoryFactory.INDEX_LOCK_FACTOR_SETTING);
    Set<String> preload = Set.copyOf(settings.getValue(IndexModule.INDEX_STORE_PRE_LOAD_SETTING));
    return open(node.get(), type, path, locks, preload);
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
