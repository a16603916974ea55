/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.NodeStats;
import java.io.IOException;
import org.apache.solr.common.MapWriter;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.SolrInfoBean;
import org.apache.solr.metrics.MetricsMap;
import org.apache.solr.metrics.SolrMetricManager;
import org.apache.solr.metrics.SolrMetricsContext;

/**
 * The figures of a node in Solr's own registry: {@code CACHE.pread} of the registry {@code
 * solr.node}, with the names that the other servers show.
 */
final class NodeMetrics {

  private static final String NAME = "pread";

  private final SolrMetricsContext context;

  private NodeMetrics(SolrMetricsContext context) {
    this.context = context;
  }

  /**
   * Shows the figures of a node.
   *
   * @throws LinkageError if this version of Solr has other metrics: nothing is done then
   */
  static NodeMetrics register(CoreContainer container, NodeDirectories node) {
    MetricsMap figures = new MetricsMap(map -> node.stats().accept(new Figures(map)));
    SolrMetricsContext context =
        new SolrMetricsContext(
            container.getMetricManager(),
            SolrMetricManager.getRegistryName(SolrInfoBean.Group.node),
            NAME + '@' + Integer.toHexString(System.identityHashCode(node)));
    context.gauge(figures, true, NAME, SolrInfoBean.Category.CACHE.toString());
    return new NodeMetrics(context);
  }

  void unregister() {
    context.unregister();
  }

  /** Writes the figures under their names, those of a group behind its name and a dot. */
  private static final class Figures implements NodeStats.Visitor {

    private final MapWriter.EntryWriter map;
    private String group = "";

    Figures(MapWriter.EntryWriter map) {
      this.map = map;
    }

    @Override
    public void start(String name) {
      group = name + ".";
    }

    @Override
    public void end() {
      group = "";
    }

    @Override
    public void field(String name, Object value) throws IOException {
      // Solr's JMX reporter asks each figure for its class.
      if (value != null) {
        map.put(group + name, value);
      }
    }

    @Override
    public void bytes(String name, long value) throws IOException {
      map.put(group + name + "_in_bytes", value);
    }
  }
}
