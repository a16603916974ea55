/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.TransportRequest;

/** What the node that is asked sends to each node, as this generation of the server wants it. */
final class NodeStatsRequest extends TransportRequest {

  NodeStatsRequest() {}

  NodeStatsRequest(StreamInput in) throws IOException {
    super(in);
  }
}
