/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.CacheStats;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.opensearch.action.support.nodes.BaseNodeResponse;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.core.xcontent.ToXContentFragment;
import org.opensearch.core.xcontent.XContentBuilder;

/** What one node has to tell: its cache and its directories at some moment. Immutable. */
final class NodeFigures extends BaseNodeResponse implements ToXContentFragment {

  private final String backend;
  private final long cacheSize;
  private final int blockSize;
  private final CacheStats cache;
  private final Map<StoreType, Integer> open = new EnumMap<>(StoreType.class);
  private final int fellBack;

  NodeFigures(DiscoveryNode node, NodeDirectories directories) {
    super(node);
    this.backend = directories.backend();
    this.cacheSize = directories.cacheSize();
    this.blockSize = directories.blockSize();
    this.cache = directories.cacheStats();
    this.open.putAll(directories.openDirectories());
    this.fellBack = directories.fellBack();
  }

  NodeFigures(StreamInput in) throws IOException {
    super(in);
    this.backend = in.readString();
    this.cacheSize = in.readVLong();
    this.blockSize = in.readVInt();
    this.cache = CacheStats.of(in.readMap(StreamInput::readString, StreamInput::readVLong));
    for (StoreType type : StoreType.values()) {
      this.open.put(type, in.readVInt());
    }
    this.fellBack = in.readVInt();
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    out.writeString(backend);
    out.writeVLong(cacheSize);
    out.writeVInt(blockSize);
    out.writeMap(cache.toMap(), StreamOutput::writeString, StreamOutput::writeVLong);
    for (StoreType type : StoreType.values()) {
      out.writeVInt(open(type));
    }
    out.writeVInt(fellBack);
  }

  String backend() {
    return backend;
  }

  CacheStats cache() {
    return cache;
  }

  /** Bytes of memory for blocks, at most. */
  long cacheSize() {
    return cacheSize;
  }

  /** Bytes of the blocks that are in it. */
  long cacheUsed() {
    return cache.blocks() * blockSize;
  }

  /** Bytes; 0 without a cache. */
  int blockSize() {
    return blockSize;
  }

  /** How many directories of a type are open: one for each shard. */
  int open(StoreType type) {
    return open.get(type);
  }

  /** How many of those that are to read past the page cache read through it. */
  int fellBack() {
    return fellBack;
  }

  /**
   * Whether files that are to be read past the page cache are: {@code yes}, {@code no}, {@code
   * partly}; {@code none} where no directory is to.
   */
  String directIo() {
    int wanted = open(StoreType.PREAD_DIRECT);
    if (wanted == 0) {
      return "none";
    }
    if (fellBack >= wanted) {
      return "no";
    }
    return fellBack == 0 ? "yes" : "partly";
  }

  /** Look-ups that found their block, of all; null where there were none, which is no success. */
  Double hitRatio() {
    double ratio = cache.hitRatio();
    return Double.isNaN(ratio) ? null : ratio;
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    builder.field("name", getNode().getName());
    builder.field("backend", backend);
    builder.startObject("cache");
    builder.humanReadableField("size_in_bytes", "size", new ByteSizeValue(cacheSize));
    builder.humanReadableField("used_in_bytes", "used", new ByteSizeValue(cacheUsed()));
    builder.humanReadableField("block_size_in_bytes", "block_size", new ByteSizeValue(blockSize));
    builder.field("hits", cache.hits());
    builder.field("misses", cache.misses());
    builder.field("hit_ratio", hitRatio());
    builder.field("loads", cache.loads());
    builder.field("waits", cache.waits());
    builder.field("wait_timeouts", cache.waitTimeouts());
    builder.field("bypasses", cache.bypasses());
    builder.field("prefetches", cache.prefetches());
    builder.field("blocks_read", cache.blocksRead());
    builder.humanReadableField("read_in_bytes", "read", new ByteSizeValue(cache.bytesRead()));
    builder.field("evictions", cache.evictions());
    builder.humanReadableField("pinned_in_bytes", "pinned", new ByteSizeValue(cache.pinnedBytes()));
    builder.humanReadableField(
        "pinned_by_closed_files_in_bytes",
        "pinned_by_closed_files",
        new ByteSizeValue(cache.pinnedByClosedFilesBytes()));
    builder.endObject();
    builder.startObject("directories");
    for (StoreType type : StoreType.values()) {
      builder.field(type.key(), open(type));
    }
    builder.endObject();
    builder.startObject("direct_io").field("in_use", directIo()).field("fell_back", fellBack);
    return builder.endObject();
  }
}
