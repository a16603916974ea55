/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import org.opensearch.action.support.nodes.BaseNodeRequest;
import org.opensearch.core.common.io.stream.StreamInput;

/** What the node that is asked sends to each node, as this generation of the server wants it. */
@SuppressWarnings("deprecation")
final class NodeStatsRequest extends BaseNodeRequest {

  NodeStatsRequest() {}

  NodeStatsRequest(StreamInput in) throws IOException {
    super(in);
  }
}
