/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
import dev.pread.posix.Backends;
import java.io.Closeable;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.elasticsearch.common.unit.ByteSizeValue;

/**
 * What the shards of a node share: the block cache, the configuration that names it, and the list
 * of open directories. Thread-safe.
 *
 * <p>The plugin closes it, when the node stops; a directory that is still open then goes on without
 * a cache. Memory is taken from the system as blocks come in, so a node without indexes of these
 * types has none.
 */
final class NodeStorage implements Closeable {

  private static final Logger LOGGER = LogManager.getLogger(NodeStorage.class);

  private final BlockCache cache;
  private final PreadConfig config;
  private final String backendName;
  private final OpenDirectories directories = new OpenDirectories();

  /**
   * @throws IllegalArgumentException if the backend can't be used here, or the cache can't be had
   */
  NodeStorage(PreadSettings settings) {
    this.backendName = backendName(settings.backend());
    this.cache = new BlockCache(settings.cacheSize(), settings.blockSize());
    this.config = PreadConfig.builder().backend(settings.backend()).cache(cache).build();
    LOGGER.info(
        "pread: block cache of [{}] in blocks of [{}], backend [{}]; {}",
        ByteSizeValue.ofBytes(settings.cacheSize()),
        ByteSizeValue.ofBytes(settings.blockSize()),
        backendName,
        CacheSize.ofThisProcess().shares(settings.cacheSize()));
  }

  private static String backendName(String setting) {
    try {
      return Backends.choose(setting).posix().name();
    } catch (IllegalStateException e) {
      throw PreadSettings.refusedBackend(setting, e);
    }
  }

  PreadConfig config() {
    return config;
  }

  OpenDirectories directories() {
    return directories;
  }

  /** What it has done so far. */
  StorageStats stats() {
    return new StorageStats(
        backendName, cache.size(), cache.blockSize(), cache.stats(), directories.stats());
  }

  @Override
  public void close() {
    cache.close();
  }
}
