/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.CacheStats;
import dev.pread.plugin.NodeStats;
import java.io.IOException;
import java.util.List;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.FailedNodeException;
import org.elasticsearch.action.support.nodes.BaseNodeResponse;
import org.elasticsearch.action.support.nodes.BaseNodesResponse;
import org.elasticsearch.cluster.ClusterName;
import org.elasticsearch.cluster.node.DiscoveryNode;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.xcontent.ToXContentFragment;
import org.elasticsearch.xcontent.XContentBuilder;

/** The action that asks nodes for their {@link NodeStats}, and what is sent for it. */
final class StatsAction {

  /** The name of the action, which the privilege {@code monitor} of a cluster covers. */
  static final String NAME = "cluster:monitor/pread/stats";

  static final ActionType<Response> TYPE = new ActionType<>(NAME);

  private StatsAction() {}

  /** The answer of one node: its statistics. */
  static final class NodeResponse extends BaseNodeResponse {

    private final NodeStats stats;

    NodeResponse(DiscoveryNode node, NodeStats stats) {
      super(node);
      this.stats = stats;
    }

    NodeResponse(StreamInput in, DiscoveryNode node) throws IOException {
      super(in, node);
      this.stats =
          new NodeStats(
              in.readString(),
              in.readBoolean(),
              in.readVInt(),
              CacheStats.of(in.readMap(StreamInput::readVLong)),
              new NodeStats.Open(in.readVInt(), in.readVInt(), in.readVInt()));
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      out.writeString(stats.backend());
      out.writeBoolean(stats.cacheIsElastic());
      out.writeVInt(stats.blockSize());
      out.writeMap(stats.cache().toMap(), StreamOutput::writeVLong);
      out.writeVInt(stats.open().buffered());
      out.writeVInt(stats.open().direct());
      out.writeVInt(stats.open().usesPageCache());
    }

    NodeStats stats() {
      return stats;
    }
  }

  /** The answers of all nodes that have answered. */
  static final class Response extends BaseNodesResponse<NodeResponse>
      implements ToXContentFragment {

    Response(ClusterName name, List<NodeResponse> nodes, List<FailedNodeException> failures) {
      super(name, nodes, failures);
    }

    @Override
    protected List<NodeResponse> readNodesFrom(StreamInput in) throws IOException {
      return in.readCollectionAsList(one -> new NodeResponse(one, null));
    }

    @Override
    protected void writeNodesTo(StreamOutput out, List<NodeResponse> nodes) throws IOException {
      out.writeCollection(nodes);
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
      builder.startObject("nodes");
      for (NodeResponse node : getNodes()) {
        builder.startObject(node.getNode().getId());
        builder.field("name", node.getNode().getName());
        node.stats().accept(new StatsXContent(builder));
        builder.endObject();
      }
      return builder.endObject();
    }
  }
}
