/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.SolrRequest;
import org.apache.solr.client.solrj.SolrServerException;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.client.solrj.request.CoreAdminRequest;
import org.apache.solr.client.solrj.request.GenericSolrRequest;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.CoreContainer;

/** A Solr in this process, with cores that differ in their directory factory alone. */
final class Node implements AutoCloseable {

  private static final int WORDS = 500;
  private static final int WORDS_PER_BOOK = 20;

  final CoreContainer container;

  private Node(CoreContainer container) {
    this.container = container;
  }

  /** Adds a core to a home that no node runs on. */
  static void addCore(Path home, String name, String factory, String arguments) throws IOException {
    Files.createDirectories(home);
    Files.writeString(home.resolve("solr.xml"), "<solr></solr>");
    Path conf = Files.createDirectories(home.resolve(name).resolve("conf"));
    Files.writeString(home.resolve(name).resolve("core.properties"), "name=" + name + "\n");
    Files.writeString(conf.resolve("schema.xml"), resource("schema.xml"));
    Files.writeString(
        conf.resolve("solrconfig.xml"),
        resource("solrconfig.xml").replace("FACTORY", factory).replace("ARGUMENTS", arguments));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = Node.class.getResourceAsStream("/conf/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Returns the node of a container that somebody else starts, and shuts down. */
  static Node of(CoreContainer container) {
    return new Node(container);
  }

  static Node start(Path home) {
    CoreContainer container = new CoreContainer(home, new Properties());
    container.load();
    return new Node(container);
  }

  /** Adds books whose text is drawn by their number. */
  void add(String core, int from, int to) throws IOException, SolrServerException {
    EmbeddedSolrServer solr = server(core);
    List<SolrInputDocument> books = new ArrayList<>();
    for (int id = from; id < to; id++) {
      books.add(book(id, id));
    }
    solr.add(books);
  }

  /** Writes books again, with another text. */
  void update(String core, int from, int to) throws IOException, SolrServerException {
    for (int id = from; id < to; id++) {
      server(core).add(book(id, -id));
    }
  }

  private static SolrInputDocument book(int id, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < WORDS_PER_BOOK; i++) {
      text.append('w').append(random.nextInt(WORDS)).append(' ');
    }
    SolrInputDocument book = new SolrInputDocument();
    book.addField("id", "b" + id);
    book.addField("text", text.toString());
    book.addField("number", seed);
    return book;
  }

  void commit(String core) throws IOException, SolrServerException {
    server(core).commit();
  }

  void merge(String core) throws IOException, SolrServerException {
    server(core).optimize();
  }

  void delete(String core, String query) throws IOException, SolrServerException {
    server(core).deleteByQuery(query);
  }

  /** Returns what a core answers to queries of several kinds, as text. */
  List<String> answers(String core) throws IOException, SolrServerException {
    List<String> answers = new ArrayList<>();
    for (String query :
        List.of("*:*", "text:w1", "text:w7 AND text:w9", "text:\"w3 w4\"", "text:w1*", "id:b17")) {
      SolrQuery asked = new SolrQuery(query);
      asked.setRows(50);
      asked.setSort("number", SolrQuery.ORDER.desc);
      asked.setFields("id", "text", "number");
      answers.add(query + " " + server(core).query(asked).getResults());
    }
    return answers;
  }

  int count(String core, String query) throws IOException, SolrServerException {
    return (int) server(core).query(new SolrQuery(query)).getResults().getNumFound();
  }

  /** Does what docs/solr.md says, where the node is to go on. */
  void unloadAndCreate(String core) throws IOException, SolrServerException {
    EmbeddedSolrServer solr = server(core);
    CoreAdminRequest.unloadCore(core, solr);
    CoreAdminRequest.createCore(core, core, solr);
  }

  /** Has the replication of a core do something, and returns what it says. */
  String replicate(String core, String command, String... parameters)
      throws IOException, SolrServerException {
    ModifiableSolrParams all = new ModifiableSolrParams().set("command", command);
    for (int i = 0; i < parameters.length; i += 2) {
      all.set(parameters[i], parameters[i + 1]);
    }
    GenericSolrRequest request =
        new GenericSolrRequest(SolrRequest.METHOD.GET, "/replication", all);
    return server(core).request(request).toString();
  }

  /** Returns what a node shows of the cache and the directories of its cores. */
  static Map<?, ?> figures(CoreContainer container) {
    Metric metric =
        container.getMetricManager().registry("solr.node").getMetrics().get("CACHE.pread");
    return (Map<?, ?>) ((Gauge<?>) metric).getValue();
  }

  private EmbeddedSolrServer server(String core) {
    // Closing it would close the container.
    return new EmbeddedSolrServer(container, core);
  }

  @Override
  public void close() {
    container.shutdown();
  }
}
