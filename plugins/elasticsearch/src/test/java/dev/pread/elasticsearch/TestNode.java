/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.node.EmbeddedNode;
import org.elasticsearch.node.Node;
import org.elasticsearch.node.NodeValidationException;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.transport.netty4.Netty4Plugin;

/** A whole node in this process, with HTTP on the loopback interface and the plugin in it. */
final class TestNode implements AutoCloseable {

  static {
    LogConfigurator.configureESLogging();
  }

  static final String NAME = "embedded";

  private final Node node;

  /**
   * Starts it.
   *
   * @param home its folder, with the data of the last one that ran there
   * @param more settings
   */
  TestNode(Path home, Map<String, String> more) throws NodeValidationException {
    this(home, more, new PreadPlugin());
  }

  /** Starts one with these plugins, which no other node has. */
  TestNode(Path home, Map<String, String> more, Plugin... plugins) throws NodeValidationException {
    Settings.Builder settings =
        Settings.builder()
            .put("node.name", NAME)
            .put("cluster.name", "pread-test")
            .put("path.home", home.toString())
            .putList("path.repo", home.resolve("repo").toString())
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("node.processors", 2)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("indices.breaker.total.use_real_memory", false);
    more.forEach(settings::put);
    List<Plugin> all = new ArrayList<>(List.of(plugins));
    all.add(new Netty4Plugin());
    this.node = new EmbeddedNode(settings.build(), all);
    try {
      node.start();
    } catch (NodeValidationException | RuntimeException e) {
      try {
        close();
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /** Returns a client of its REST interface. */
  Http http() {
    InetSocketAddress address =
        node.injector()
            .getInstance(HttpServerTransport.class)
            .boundAddress()
            .publishAddress()
            .address();
    return new Http(address.getPort());
  }

  @Override
  public void close() throws IOException {
    node.close();
    try {
      if (!node.awaitClose(30, TimeUnit.SECONDS)) {
        throw new IOException("the node does not stop");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
