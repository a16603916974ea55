/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.harness.Account;
import dev.pread.harness.MemoryCgroup;
import dev.pread.harness.ServerProcess;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a server with a configuration, data and logs of its own; it is asked to end on {@link
 * #close()}, and made to if it does not, as it is when this JVM ends. Requests may be sent by any
 * number of threads; a connection is used again and again. The rest is for one thread.
 */
record OpenSearchNode(ServerProcess process, URI server, HttpClient client) implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final String[] FOLDERS = {"config", "data", "logs", "tmp"};
  private static final int SHOWN_LINES = 8;

  /** The JVM's options that name a file below the folder it is started in. */
  private static final Pattern RELATIVE =
      Pattern.compile("(file=|HeapDumpPath=|ErrorFile=)(?=[A-Za-z])");

  /**
   * Starts a server and waits until it is there.
   *
   * @param folder for configuration, data and logs; the server's alone
   * @param store by which its files are read
   * @param group to run in, or null
   * @throws UserError if it does not start: with what it said
   */
  static OpenSearchNode start(ServerCommand command, Path folder, String store, MemoryCgroup group)
      throws IOException {
    configure(command.home, folder);
    // It joins a group while it is still root's.
    List<String> words = new ArrayList<>(group == null ? List.of() : group.prefix());
    words.addAll(Account.prefix());
    words.add(command.home.resolve("bin/opensearch").toString());
    command.settings(store).forEach(setting -> words.add("-E" + setting));
    ServerProcess.SETTINGS.forEach((name, value) -> words.add("-E" + name + "=" + value));
    words.add("-Ecluster.name=lucene-pread-benchmark");
    words.add("-Ediscovery.type=single-node");
    words.add("-Epath.data=" + folder.resolve("data"));
    words.add("-Epath.logs=" + folder.resolve("logs"));
    ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
    String heap = Long.toString(command.heap);
    builder
        .environment()
        .putAll(
            Map.of(
                "OPENSEARCH_JAVA_HOME", System.getProperty("java.home"),
                "OPENSEARCH_PATH_CONF", folder.resolve("config").toString(),
                "OPENSEARCH_TMPDIR", folder.resolve("tmp").toString(),
                "OPENSEARCH_JAVA_OPTS",
                    "-Xms" + heap + " -Xmx" + heap + " --enable-native-access=ALL-UNNAMED"));
    ServerProcess process = ServerProcess.launch(builder, folder.resolve("logs"));
    try {
      URI server = URI.create("http://127.0.0.1:" + process.awaitPort());
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      return new OpenSearchNode(process, server, client);
    } catch (IOException e) {
      process.kill();
      throw failure(process, "does not start", e);
    }
  }

  /** Copies the configuration it was installed with, since it writes there. */
  private static void configure(Path home, Path folder) throws IOException {
    for (String own : FOLDERS) {
      Files.createDirectories(folder.resolve(own));
    }
    // It has what the servers before it said.
    Files.deleteIfExists(folder.resolve("logs/console.log"));
    for (String name : List.of("opensearch.yml", "jvm.options", "log4j2.properties")) {
      Path installed = home.resolve("config").resolve(name);
      if (Files.exists(installed)) {
        Files.writeString(
            folder.resolve("config").resolve(name), elsewhere(Files.readString(installed), folder));
      }
    }
    try {
      Account.give(folder, FOLDERS);
    } catch (IOException e) {
      throw new UserError(e.getMessage() + ", with --work", e);
    }
  }

  /** Moves the files of options that would be in the home: the log of the collector, and dumps. */
  static String elsewhere(String options, Path folder) {
    return RELATIVE.matcher(options).replaceAll("$1" + Matcher.quoteReplacement(folder + "/"));
  }

  /**
   * Waits until all of an index can be searched.
   *
   * @throws UserError if that takes too long: with what the server said
   */
  void awaitIndex(String index) throws IOException {
    try {
      get("/_cluster/health/" + index + "?wait_for_status=green&timeout=3m");
    } catch (IOException e) {
      throw failure(process, "does not open the index", e);
    }
  }

  JsonNode get(String path) throws IOException {
    return call("GET", path, "");
  }

  /** Returns what the server answers to a body of JSON, or of lines of it. */
  JsonNode call(String method, String path, String body) throws IOException {
    return JSON.readTree(send(method, path, body));
  }

  /**
   * Returns what the server answers, as it comes.
   *
   * @throws IOException if there is no answer, or one that says that something failed
   */
  byte[] send(String method, String path, String body) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(ANSWER_TIMEOUT)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      if (response.statusCode() / 100 != 2) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "%s %s was answered with %d: %.500s",
                method,
                path,
                response.statusCode(),
                new String(response.body(), StandardCharsets.UTF_8).strip()));
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + method + " " + path, e);
    }
  }

  private static UserError failure(ServerProcess process, String what, IOException why)
      throws IOException {
    List<String> lines = process.said().lines().filter(line -> !line.startsWith("\tat ")).toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return new UserError("the server " + what + "; it says: " + String.join("\n", last), why);
  }

  @Override
  public void close() throws IOException {
    client.shutdownNow();
    process.stop(STOP_TIMEOUT);
  }
}
