/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a server in a process of its own, on the loopback interface alone, with a configuration,
 * data and logs of its own; it is asked to end on {@link #close()}, and made to if it does not. It
 * refuses to run as root, so root starts it as the user nobody. Requests may be sent by any number
 * of threads; a connection is used again and again. The rest is for one thread.
 *
 * @param log of all that it says
 */
record OpenSearchNode(Process process, URI server, HttpClient client, Path log)
    implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(10);

  /** Gives a folder to the server, and the way through the one that it is in. */
  private static final String AS_NOBODY =
      "chown -R 65534:65534 \"$0\" && chmod o+x \"$0/..\""
          + " && exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"";

  private static final double START_SECONDS = 180;
  private static final long STOP_SECONDS = 10;
  private static final long POLL_NANOS = 200_000_000;

  /** While one poll waits, neither Ctrl-C nor the end of the time to start is noticed. */
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(5);

  private static final int SHOWN_LINES = 8;
  private static final Pattern FAILURE = Pattern.compile("Exception|Error|ERROR");

  /** The JVM's options that name a file below the folder it is started in. */
  private static final Pattern RELATIVE =
      Pattern.compile("(file=|HeapDumpPath=|ErrorFile=)(?=[A-Za-z])");

  /**
   * Starts a server and waits until it answers.
   *
   * @param folder for configuration, data and logs; the server's alone
   * @param store by which its files are read
   * @param group to run in, or null
   * @throws UserError if it does not start: with what it said
   */
  static OpenSearchNode start(
      ServerCommand command, Path folder, String store, MemoryCgroup group, StopSignal stop)
      throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path log = folder.resolve("server.log");
    OpenSearchNode node =
        new OpenSearchNode(
            launch(command, folder, store, port, group, log),
            URI.create("http://127.0.0.1:" + port),
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
            log);
    try {
      node.await("/", "version", "does not start", stop);
      return node;
    } catch (Throwable t) {
      node.close();
      throw t;
    }
  }

  private static Process launch(
      ServerCommand command, Path folder, String store, int port, MemoryCgroup group, Path log)
      throws IOException {
    configure(command.home, folder);
    List<String> words = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      words.addAll(List.of("sh", "-c", AS_NOBODY, folder.toString()));
    }
    words.add(command.home.resolve("bin/opensearch").toString());
    command.settings(store).forEach(setting -> words.add("-E" + setting));
    words.addAll(
        List.of(
            "-Ecluster.name=lucene-pread-benchmark",
            "-Ediscovery.type=single-node",
            "-Enetwork.host=127.0.0.1",
            "-Ehttp.port=" + port,
            "-Epath.data=" + folder.resolve("data"),
            "-Epath.logs=" + folder.resolve("logs"),
            // The disk may be fuller than a server in use would like: it decides nothing here.
            "-Ecluster.routing.allocation.disk.threshold_enabled=false"));
    ProcessBuilder builder = new ProcessBuilder(LimitedProcess.within(group, words));
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
    builder.directory(folder.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    return builder.start();
  }

  /** Copies the configuration it was installed with, since it writes there. */
  private static void configure(Path home, Path folder) throws IOException {
    for (String own : List.of("config", "data", "logs", "tmp")) {
      Files.createDirectories(folder.resolve(own));
    }
    for (String name : List.of("opensearch.yml", "jvm.options", "log4j2.properties")) {
      Path installed = home.resolve("config").resolve(name);
      if (Files.exists(installed)) {
        Files.writeString(
            folder.resolve("config").resolve(name), elsewhere(Files.readString(installed), folder));
      }
    }
  }

  /** Moves the files of options that would be in the home: the log of the collector, and dumps. */
  static String elsewhere(String options, Path folder) {
    return RELATIVE.matcher(options).replaceAll("$1" + Matcher.quoteReplacement(folder + "/"));
  }

  /**
   * Waits for an answer.
   *
   * @param words that it has to have
   * @throws UserError if none comes: with what the server said
   */
  void await(String path, String words, String otherwise, StopSignal stop) throws IOException {
    long start = System.nanoTime();
    while (!answers(path, words)) {
      stop.check();
      if (!process.isAlive() || (System.nanoTime() - start) / 1e9 > START_SECONDS) {
        throw failure(otherwise);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean answers(String path, String words) {
    try {
      byte[] answer = send("GET", path, "", POLL_TIMEOUT);
      return new String(answer, StandardCharsets.UTF_8).contains(words);
    } catch (IOException notYet) {
      return false; // While it starts it may be slow, or not there.
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
    return send(method, path, body, ANSWER_TIMEOUT);
  }

  private byte[] send(String method, String path, String body, Duration timeout)
      throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(timeout)
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

  private UserError failure(String what) throws IOException {
    List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
    // What comes first is the cause; without one, what comes last.
    List<String> cause =
        lines.stream().dropWhile(line -> !FAILURE.matcher(line).find()).limit(SHOWN_LINES).toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return new UserError(
        "the server " + what + "; it says: " + String.join("\n", cause.isEmpty() ? last : cause));
  }

  @Override
  public void close() {
    client.shutdownNow();
    process.destroy();
    process.onExit().completeOnTimeout(null, STOP_SECONDS, TimeUnit.SECONDS).join();
    process.destroyForcibly().onExit().join();
  }
}
