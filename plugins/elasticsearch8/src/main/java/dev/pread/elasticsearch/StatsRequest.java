/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.io.IOException;
import org.elasticsearch.action.support.nodes.BaseNodesRequest;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.transport.TransportRequest;

/** Asks some nodes for their figures, as this generation of the server wants it. */
final class StatsRequest extends BaseNodesRequest<StatsRequest> {

  /**
   * @param nodes ids, names or filters as everywhere; none for all nodes
   */
  StatsRequest(String... nodes) {
    super(nodes);
  }

  /** Sets how long to wait for them. */
  void setTimeout(TimeValue timeout) {
    timeout(timeout);
  }

  /** The request that is sent to one of them. */
  static final class OfNode extends TransportRequest {

    OfNode() {}

    OfNode(StreamInput in) throws IOException {
      super(in);
    }
  }
}
