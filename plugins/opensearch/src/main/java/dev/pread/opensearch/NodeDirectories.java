/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.BlockCache;
import dev.pread.CacheStats;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Backends;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.unit.ByteSizeValue;

/**
 * What a node has of this library: one block cache, which the directories of all its shards share,
 * and the list of those that are open.
 *
 * <p>Thread-safe. Closing it closes the cache and no directory; those that are open go on without.
 */
final class NodeDirectories implements Closeable {

  private static final Logger LOGGER = LogManager.getLogger(NodeDirectories.class);

  private final BlockCache cache;
  private final PreadConfig config;
  private final boolean cacheIsSized;
  private final Set<ShardDirectory> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean adviceGiven = new AtomicBoolean();

  /**
   * Takes no memory yet: the cache does when it is first read through.
   *
   * @throws IllegalArgumentException if a setting has a value that can't be used
   */
  NodeDirectories(Settings settings) {
    String backend = PreadSettings.BACKEND.get(settings);
    long size = PreadSettings.CACHE_SIZE.get(settings).getBytes();
    int blockSize = Math.toIntExact(PreadSettings.BLOCK_SIZE.get(settings).getBytes());
    this.cacheIsSized = PreadSettings.isCacheSized(settings);
    this.cache = new BlockCache(size, blockSize);
    this.config = PreadConfig.builder().backend(backend).cache(cache).build();
    LOGGER.info(
        "pread: block cache of [{}] in blocks of [{}], backend [{}]; {}",
        new ByteSizeValue(size),
        new ByteSizeValue(blockSize),
        backend(),
        CacheSize.ofThisProcess().shares(size));
  }

  /**
   * Opens the directory of a shard, which the caller closes.
   *
   * @param preload the extensions of the files to preload
   */
  Directory open(StoreType type, Path path, LockFactory locks, Set<String> preload)
      throws IOException {
    Directory directory =
        switch (type) {
          case PREAD -> new PreadDirectory(path, locks, config);
          case PREAD_DIRECT -> direct(path, locks);
        };
    ShardDirectory shard = new ShardDirectory(directory, type, preload, open::remove);
    open.add(shard);
    return shard;
  }

  private Directory direct(Path path, LockFactory locks) throws IOException {
    if (!cacheIsSized && adviceGiven.compareAndSet(false, true)) {
      LOGGER.warn(
          "pread_direct reads past the page cache, so the block cache is all that its indexes have,"
              + " and pread.cache.size is not set: it is {} bytes. Set it in opensearch.yml where most"
              + " indexes are of this type, to 75% for example, and leave [{}] or more to the JVM"
              + " itself",
          cache.size(), new ByteSizeValue(CacheSize.ADVISED));
    }
    return new DirectPreadDirectory(path, locks, config);
  }

  /** The name of the backend that makes the system calls. */
  String backend() {
    return Backends.choose(config.backend()).posix().name();
  }

  long cacheSize() {
    return cache.size();
  }

  /** Bytes; 0 without a cache. */
  int blockSize() {
    return cache.blockSize();
  }

  CacheStats cacheStats() {
    return cache.stats();
  }

  /** How many directories are open, for each type. */
  Map<StoreType, Integer> openDirectories() {
    Map<StoreType, Integer> counts = new EnumMap<>(StoreType.class);
    for (StoreType type : StoreType.values()) {
      counts.put(type, 0);
    }
    for (ShardDirectory directory : open) {
      counts.merge(directory.type(), 1, Integer::sum);
    }
    return counts;
  }

  /** How many of the open directories go through the page cache for want of direct I/O. */
  int fellBack() {
    int count = 0;
    for (ShardDirectory directory : open) {
      if (directory.fellBack()) {
        count++;
      }
    }
    return count;
  }

  @Override
  public void close() {
    cache.close();
  }
}
