/* SPDX-License-Identifier: Apache-2.0 */
package org.elasticsearch.node;

import java.util.Collection;
import java.util.Map;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.plugins.ClassPathPlugins;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.PluginsLoader;
import org.elasticsearch.plugins.PluginsService;

/**
 * A node with plugins from the class path. It is in this package since that is where the server
 * lets one say so; the server's own test framework has more, and does not run under JUnit as it is.
 */
public final class EmbeddedNode extends Node {

  /**
   * @param plugins instances that no other node has
   */
  public EmbeddedNode(Settings settings, Collection<Plugin> plugins) {
    super(
        NodeConstruction.prepareConstruction(
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "embedded"),
            null,
            new NodeServiceProvider() {
              @Override
              PluginsService newPluginService(Environment environment, PluginsLoader none) {
                return new ClassPathPlugins(environment, plugins);
              }
            },
            true));
  }

  /**
   * Does nothing here: the server's own writes into the log's statics, which it may once per
   * process.
   */
  @Override
  protected void configureNodeAndClusterIdStateListener(ClusterService clusterService) {}
}
