/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import dev.pread.plugin.NodeDirectories;
import java.util.HashMap;
import java.util.Map;
import org.apache.solr.core.CoreContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The block cache of a node, which is there as long as one of its cores has it. */
final class SharedNode {

  private static final Logger LOGGER = LoggerFactory.getLogger(SharedNode.class);
  private static final Map<CoreContainer, SharedNode> NODES = new HashMap<>();

  private final NodeDirectories directories;

  /** The metrics, or null where there are none. */
  private final NodeMetrics metrics;

  private int cores;

  private SharedNode(CoreContainer container) {
    directories =
        new NodeDirectories(
            PreadSettings.settings(),
            PreadSettings.memory(),
            () -> container.getNodeConfig().getSolrHome(),
            LOGGER::info);
    boolean done = false;
    try {
      metrics = metrics(container, directories);
      done = true;
    } finally {
      if (!done) {
        directories.close();
      }
    }
  }

  private static NodeMetrics metrics(CoreContainer container, NodeDirectories directories) {
    try {
      return NodeMetrics.register(container, directories);
    } catch (LinkageError e) {
      // The directories need none.
      LOGGER.warn("pread: this version of Solr has other metrics than Solr 9, and shows none", e);
      return null;
    }
  }

  /**
   * Returns what the node has, which {@link #release} gives up once for each call.
   *
   * @throws IllegalArgumentException if there is an option that can't be used
   */
  static NodeDirectories acquire(CoreContainer container) {
    synchronized (NODES) {
      SharedNode node = NODES.computeIfAbsent(container, SharedNode::new);
      node.cores++;
      return node.directories;
    }
  }

  static void release(CoreContainer container) {
    synchronized (NODES) {
      SharedNode node = NODES.get(container);
      node.cores--;
      if (node.cores == 0) {
        NODES.remove(container);
        node.close();
      }
    }
  }

  private void close() {
    try {
      if (metrics != null) {
        metrics.unregister();
      }
    } finally {
      directories.close();
    }
  }
}
