/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.LockFactory;

/**
 * What a node has of this library: one block cache, which the directories of all its shards share,
 * and the list of those that are open.
 *
 * <p>It is thread-safe. Closing it closes the cache and no directory; those that are open go on
 * without. Memory is taken from the system as blocks come in, so a node without such indexes has
 * none.
 */
public final class NodeDirectories implements Closeable {

  /** So begins the line about the cache, for which the documentation tells operators to look. */
  public static final String CACHE_LINE = "pread: block cache of";

  /** Where the list of hot blocks is, in the folder with the data of the node. */
  private static final String HOT_LIST = "pread";

  private final BlockCache cache;
  private final PreadConfig config;
  private final String backend;
  private final Set<ShardDirectory> open = ConcurrentHashMap.newKeySet();

  /**
   * Makes the cache, and says in the log where the memory goes.
   *
   * @param memory what there is for the cache
   * @param data returns the folder with the data of the node, where the list of hot blocks goes, or
   *     null if it has no data; it is asked only if a list is to be kept
   * @param info the server's log, for what an operator wants to know before anything goes wrong
   * @throws IllegalArgumentException if the backend can't be used here, or the cache can't be had
   */
  public NodeDirectories(
      NodeSettings settings, CacheSize memory, Supplier<Path> data, Consumer<String> info) {
    PreadConfig plain = PreadConfig.builder().backend(settings.backend()).build();
    this.backend = backendInUse(plain);
    // The cache's memory comes from the backend that the system property names, whatever the
    // setting says. What is wrong with the property is not the fault of the cache's size.
    String ignored = backendInUse(PreadConfig.DEFAULT);
    boolean isAuto = settings.cacheSize() == NodeSettings.AUTO;
    BlockCache.Builder builder =
        BlockCache.builder().blockSize(settings.blockSize()).queueDepth(settings.queueDepth());
    if (isAuto) {
      builder.max(settings.cacheMax());
    } else {
      builder.size(settings.cacheSize());
    }
    Path listed = settings.warmRestart() ? data.get() : null;
    if (listed != null) {
      builder.hotList(listed.resolve(HOT_LIST));
    }
    try {
      this.cache = builder.build();
    } catch (IllegalArgumentException e) {
      throw isAuto
          ? memory.refusedMax(
              String.valueOf(settings.cacheMax()),
              "a block has " + settings.blockSize() + " bytes",
              e)
          : memory.refused(String.valueOf(settings.cacheSize()), e);
    }
    this.config = plain.toBuilder().cache(cache).build();
    boolean done = false;
    try {
      info.accept(line(settings, memory, isAuto));
      done = true;
    } finally {
      if (!done) {
        // Nobody else knows of it, and its list would stay locked.
        cache.close();
      }
    }
  }

  private static String backendInUse(PreadConfig config) {
    try {
      return config.backendInUse();
    } catch (IllegalStateException e) {
      // Auto is never refused itself: the reason names the system property that is.
      throw config.backend().equals(PreadConfig.DEFAULT.backend())
          ? new IllegalArgumentException(e.getMessage(), e)
          : NodeSettings.refusedBackend(config.backend(), e);
    }
  }

  private String line(NodeSettings settings, CacheSize memory, boolean isAuto) {
    return CACHE_LINE
        + " ["
        + memory.sizes().print(cache.size())
        + "]"
        + (isAuto ? whenAuto(settings, memory) : "")
        + " in blocks of ["
        + memory.sizes().print(settings.blockSize())
        + "], backend ["
        + backend
        + "]; "
        + (cache.isElastic() ? memory.elasticShares() : memory.shares(cache.size()))
        + (settings.warmRestart() ? whyCold(settings) : "");
  }

  /** Tells why nothing will be read after a restart, although the operator has asked for that. */
  private String whyCold(NodeSettings settings) {
    boolean isChannel = backend.equals("channel");
    if (!isChannel && settings.cacheSize() != 0) {
      return "";
    }
    return "; ["
        + NodeSettings.WARM_RESTART.name()
        + "] has no effect "
        + (isChannel ? "with this backend, which can't recognize a file" : "without a cache");
  }

  private String whenAuto(NodeSettings settings, CacheSize memory) {
    if (!cache.isElastic()) {
      return " (auto: fixed, since memory can't be given back here or its limit is not known)";
    }
    return settings.cacheMax() == NodeSettings.NO_MAX
        ? " (auto: just now)"
        : " (auto: just now; at most [" + memory.sizes().print(settings.cacheMax()) + "])";
  }

  /**
   * Opens the directory of a shard, which the caller closes.
   *
   * @param rules return the context to open a file with, for its name and the one that Lucene gave;
   *     {@link OpenRules} for a server with Lucene 10
   */
  public Directory open(
      StoreType type, Path path, LockFactory locks, BiFunction<String, IOContext, IOContext> rules)
      throws IOException {
    ShardDirectory shard = new ShardDirectory(type.open(path, locks, config), rules, open::remove);
    open.add(shard);
    return shard;
  }

  /**
   * Opens a directory that is no shard's, so that {@link #stats} does not count it: with what a
   * server notes about an index, or a part of one for a while. The caller closes it.
   */
  public FSDirectory openBeside(StoreType type, Path path, LockFactory locks) throws IOException {
    return type.open(path, locks, config);
  }

  /** Returns what the cache has done so far, and what is open now. */
  public NodeStats stats() {
    int buffered = 0;
    int direct = 0;
    int usesPageCache = 0;
    for (ShardDirectory shard : open) {
      if (shard.getDelegate() instanceof DirectPreadDirectory past) {
        direct++;
        usesPageCache += past.usesPageCache() ? 1 : 0;
      } else {
        buffered++;
      }
    }
    return new NodeStats(
        backend,
        cache.isElastic(),
        cache.blockSize(),
        cache.stats(),
        new NodeStats.Open(buffered, direct, usesPageCache));
  }

  @Override
  public void close() {
    cache.close();
  }
}
