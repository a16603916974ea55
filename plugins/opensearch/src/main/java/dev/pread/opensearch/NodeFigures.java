/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.CacheStats;
import dev.pread.plugin.NodeStats;
import java.io.IOException;
import org.opensearch.action.support.nodes.BaseNodeResponse;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/** What one node has to tell, as it travels between nodes. It is immutable. */
final class NodeFigures extends BaseNodeResponse {

  private final NodeStats stats;

  NodeFigures(DiscoveryNode node, NodeStats stats) {
    super(node);
    this.stats = stats;
  }

  NodeFigures(StreamInput in) throws IOException {
    super(in);
    this.stats =
        new NodeStats(
            in.readString(),
            in.readBoolean(),
            in.readVInt(),
            CacheStats.of(in.readMap(StreamInput::readString, StreamInput::readVLong)),
            new NodeStats.Open(in.readVInt(), in.readVInt(), in.readVInt()));
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    out.writeString(stats.backend());
    out.writeBoolean(stats.cacheIsElastic());
    out.writeVInt(stats.blockSize());
    out.writeMap(stats.cache().toMap(), StreamOutput::writeString, StreamOutput::writeVLong);
    out.writeVInt(stats.open().buffered());
    out.writeVInt(stats.open().direct());
    out.writeVInt(stats.open().usesPageCache());
  }

  NodeStats stats() {
    return stats;
  }
}
