/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/** A node of OpenSearch in this process, with the plugin, and with HTTP on the loopback address. */
final class EmbeddedNode extends Node {

  private EmbeddedNode(Settings settings, List<Class<? extends Plugin>> plugins) {
    super(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "embedded"),
        plugins.stream().map(EmbeddedNode::info).toList(),
        true);
  }

  private static PluginInfo info(Class<? extends Plugin> type) {
    return new PluginInfo(
        type.getSimpleName(),
        "for tests",
        "1",
        Version.CURRENT,
        "21",
        type.getName(),
        List.of(),
        false);
  }

  /**
   * Makes and starts one.
   *
   * @param home where its data are
   * @param more settings, over those of a node that is alone
   */
  static EmbeddedNode start(Path home, Settings more) throws Exception {
    return start(home, more, List.of(PreadPlugin.class, KnnTestPlugin.class));
  }

  /** Makes and starts one with these plugins. */
  static EmbeddedNode start(Path home, Settings more, List<Class<? extends Plugin>> plugins)
      throws Exception {
    List<Class<? extends Plugin>> all = new ArrayList<>(plugins);
    all.add(Netty4ModulePlugin.class);
    EmbeddedNode node = new EmbeddedNode(settings(home, more), all);
    try {
      node.start();
      return node;
    } catch (Throwable t) {
      node.close();
      throw t;
    }
  }

  private static Settings settings(Path home, Settings more) {
    Settings.Builder settings =
        Settings.builder()
            .put("path.home", home)
            .put("path.repo", home.resolve("repository"))
            .put("cluster.name", "embedded")
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("transport.type", Netty4ModulePlugin.NETTY_TRANSPORT_NAME)
            .put("http.type", Netty4ModulePlugin.NETTY_HTTP_TRANSPORT_NAME)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("node.processors", 2)
            .put(more);
    return settings.build();
  }

  int httpPort() {
    return injector()
        .getInstance(HttpServerTransport.class)
        .boundAddress()
        .publishAddress()
        .getPort();
  }
}
