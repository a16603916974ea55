/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.util.List;
import org.opensearch.action.ActionType;
import org.opensearch.action.FailedNodeException;
import org.opensearch.action.support.nodes.BaseNodesRequest;
import org.opensearch.action.support.nodes.BaseNodesResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.ToXContentFragment;
import org.opensearch.core.xcontent.XContentBuilder;

/** Asks nodes for their {@link NodeFigures}: the messages of it. */
final class StatsAction extends ActionType<StatsAction.Response> {

  /** The name that the privileges of OpenSearch's security plugin have for it. */
  static final String NAME = "cluster:monitor/pread/stats";

  static final StatsAction INSTANCE = new StatsAction();

  private StatsAction() {
    super(NAME, Response::new);
  }

  /** The request to the node that is asked, for all nodes or those that it names. */
  static final class Request extends BaseNodesRequest<Request> {

    Request(String... nodes) {
      super(nodes);
    }

    Request(StreamInput in) throws IOException {
      super(in);
    }
  }

  /** What they have answered, and who has not. */
  static final class Response extends BaseNodesResponse<NodeFigures> implements ToXContentFragment {

    Response(ClusterName cluster, List<NodeFigures> nodes, List<FailedNodeException> failures) {
      super(cluster, nodes, failures);
    }

    Response(StreamInput in) throws IOException {
      super(in);
    }

    @Override
    protected List<NodeFigures> readNodesFrom(StreamInput in) throws IOException {
      return in.readList(NodeFigures::new);
    }

    @Override
    protected void writeNodesTo(StreamOutput out, List<NodeFigures> nodes) throws IOException {
      out.writeList(nodes);
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
      builder.startObject("nodes");
      for (NodeFigures node : getNodes()) {
        builder.startObject(node.getNode().getId());
        builder.field("name", node.getNode().getName());
        node.stats().accept(new StatsXContent(builder));
        builder.endObject();
      }
      return builder.endObject();
    }
  }
}
