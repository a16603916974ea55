/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.CacheStats;
import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;
import org.elasticsearch.common.unit.ByteSizeValue;
import org.elasticsearch.xcontent.ToXContentFragment;
import org.elasticsearch.xcontent.XContentBuilder;

/**
 * The figures of one node, as they travel between nodes and to users.
 *
 * @param backend the name of the one in use
 * @param cacheSize bytes of memory for blocks, at most
 * @param blockSize bytes of a block; 0 without a cache
 * @param cache what the cache has done
 * @param directories what is open
 */
record StorageStats(
    String backend,
    long cacheSize,
    int blockSize,
    CacheStats cache,
    OpenDirectories.Stats directories)
    implements Writeable, ToXContentFragment {

  StorageStats(StreamInput in) throws IOException {
    this(
        in.readString(),
        in.readVLong(),
        in.readVInt(),
        CacheStats.of(in.readMap(StreamInput::readVLong)),
        new OpenDirectories.Stats(in.readVInt(), in.readVInt(), in.readVInt()));
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeString(backend);
    out.writeVLong(cacheSize);
    out.writeVInt(blockSize);
    out.writeMap(cache.toMap(), StreamOutput::writeVLong);
    out.writeVInt(directories.buffered());
    out.writeVInt(directories.direct());
    out.writeVInt(directories.fellBack());
  }

  /** Bytes of the cache that blocks are in. */
  long used() {
    return cache.blocks() * blockSize;
  }

  /** Look-ups that found their block, of all; null where there were none, which is no success. */
  Double hitRatio() {
    double ratio = cache.hitRatio();
    return Double.isNaN(ratio) ? null : ratio;
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    builder.field("backend", backend);
    builder.startObject("cache");
    builder.humanReadableField("size_in_bytes", "size", bytes(cacheSize));
    builder.humanReadableField("used_in_bytes", "used", bytes(used()));
    builder.humanReadableField("block_size_in_bytes", "block_size", bytes(blockSize));
    builder.field("hits", cache.hits());
    builder.field("misses", cache.misses());
    builder.field("hit_ratio", hitRatio());
    builder.field("loads", cache.loads());
    builder.field("waits", cache.waits());
    builder.field("wait_timeouts", cache.waitTimeouts());
    builder.field("bypasses", cache.bypasses());
    builder.field("prefetches", cache.prefetches());
    builder.field("blocks_read", cache.blocksRead());
    builder.humanReadableField("read_in_bytes", "read", bytes(cache.bytesRead()));
    builder.field("evictions", cache.evictions());
    builder.humanReadableField("pinned_in_bytes", "pinned", bytes(cache.pinnedBytes()));
    builder.humanReadableField(
        "pinned_by_closed_files_in_bytes",
        "pinned_by_closed_files",
        bytes(cache.pinnedByClosedFilesBytes()));
    builder.endObject();
    builder.startObject("directories");
    builder.field(StoreType.PREAD.key(), directories.buffered());
    builder.field(StoreType.PREAD_DIRECT.key(), directories.direct());
    builder.endObject();
    builder.startObject("direct_io");
    builder.field("in_use", directories.directIo());
    builder.field("fell_back", directories.fellBack());
    return builder.endObject();
  }

  private static ByteSizeValue bytes(long count) {
    return ByteSizeValue.ofBytes(count);
  }
}
