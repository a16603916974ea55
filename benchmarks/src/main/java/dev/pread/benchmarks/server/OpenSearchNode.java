/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.MemoryCgroup;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of its own process, on the loopback interface alone, with a configuration, data and logs
 * of its own; it is asked to end on {@link #close()}, and made to if it does not. One thread.
 */
final class OpenSearchNode implements Closeable {
  private static final double START_SECONDS = 180;
  private static final long STOP_SECONDS = 10;
  private static final long POLL_MILLIS = 200;
  private static final int SHOWN_LINES = 8;
  private static final Pattern FAILURE = Pattern.compile("Exception|Error|ERROR");

  /** The JVM's options that name a file, below the folder it is started in. */
  private static final Pattern RELATIVE =
      Pattern.compile("(file=|HeapDumpPath=|ErrorFile=)(?=[A-Za-z])");

  private final Process process;
  private final RestClient rest;
  private final Path log;

  /**
   * Where and how it runs.
   *
   * @param home an installed OpenSearch
   * @param java home of the JVM that runs it
   * @param folder for configuration, data and logs; theirs alone
   * @param heapBytes of the JVM
   */
  record Setup(Path home, Path java, Path folder, long heapBytes) {}

  private OpenSearchNode(Process process, RestClient rest, Path log) {
    this.process = process;
    this.rest = rest;
    this.log = log;
  }

  /**
   * Starts one and waits until it answers.
   *
   * @param settings of the node, {@code name=value}
   * @param group to run in, or null
   * @return null if stopped
   * @throws UserError if it does not start: with the end of what it said
   */
  static OpenSearchNode start(
      Setup setup, List<String> settings, MemoryCgroup group, StopSignal stop)
      throws IOException, UserError {
    Path log = setup.folder().resolve("server.log");
    int port = freePort();
    Process process = launch(setup, settings(setup, settings, port), group, log);
    OpenSearchNode node = new OpenSearchNode(process, new RestClient(port), log);
    boolean up = false;
    try {
      up = node.awaitUp(stop);
      return up ? node : null;
    } finally {
      if (!up) {
        node.close();
      }
    }
  }

  private static List<String> settings(Setup setup, List<String> settings, int port) {
    List<String> all = new ArrayList<>(settings);
    all.add("cluster.name=lucene-pread-benchmark");
    all.add("discovery.type=single-node");
    all.add("network.host=127.0.0.1");
    all.add("http.port=" + port);
    all.add("path.data=" + setup.folder().resolve("data"));
    all.add("path.logs=" + setup.folder().resolve("logs"));
    // The disk may be fuller than a server in use would like; nothing is decided by it here.
    all.add("cluster.routing.allocation.disk.threshold_enabled=false");
    return all;
  }

  private static Process launch(Setup setup, List<String> settings, MemoryCgroup group, Path log)
      throws IOException {
    List<String> words = new ArrayList<>();
    words.addAll(ServerAccount.prefix());
    words.add(setup.home().resolve("bin/opensearch").toString());
    settings.forEach(setting -> words.add("-E" + setting));
    ProcessBuilder builder = new ProcessBuilder(LimitedProcess.within(group, words));
    builder.environment().put("OPENSEARCH_JAVA_HOME", setup.java().toString());
    builder.environment().put("OPENSEARCH_PATH_CONF", configure(setup).toString());
    builder
        .environment()
        .put("OPENSEARCH_TMPDIR", ServerAccount.owned(setup.folder().resolve("tmp")).toString());
    builder
        .environment()
        .put(
            "OPENSEARCH_JAVA_OPTS",
            "-Xms"
                + setup.heapBytes()
                + " -Xmx"
                + setup.heapBytes()
                + " --enable-native-access=ALL-UNNAMED");
    builder.directory(setup.folder().toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    return builder.start();
  }

  /** A copy of the configuration it was installed with, since it writes there. */
  private static Path configure(Setup setup) throws IOException {
    ServerAccount.owned(setup.folder());
    ServerAccount.owned(setup.folder().resolve("data"));
    ServerAccount.owned(setup.folder().resolve("logs"));
    Path config = ServerAccount.owned(setup.folder().resolve("config"));
    for (String name : List.of("opensearch.yml", "jvm.options", "log4j2.properties")) {
      Path installed = setup.home().resolve("config").resolve(name);
      Path copy = config.resolve(name);
      if (Files.exists(installed) && !Files.exists(copy)) {
        Files.writeString(copy, elsewhere(Files.readString(installed), setup.folder()));
        ServerAccount.give(copy);
      }
    }
    return config;
  }

  /** Options with files that would be in the home: the log of the collector, and dumps. */
  static String elsewhere(String options, Path folder) {
    return RELATIVE.matcher(options).replaceAll("$1" + Matcher.quoteReplacement(folder + "/"));
  }

  /** One that was free a moment ago. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean awaitUp(StopSignal stop) throws IOException, UserError {
    return await(() -> !rest.poll("/").isEmpty(), "does not start", stop);
  }

  /**
   * Waits until an index can be searched.
   *
   * @return false if stopped
   * @throws UserError if its files cannot be opened: with what the server said
   */
  boolean awaitIndex(String index, StopSignal stop) throws IOException, UserError {
    String health = "/_cluster/health/" + index;
    return await(
        () -> rest.poll(health).path("status").asText().equals("green"),
        "does not open the index " + index,
        stop);
  }

  /** What is waited for. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  private boolean await(Condition condition, String otherwise, StopSignal stop)
      throws IOException, UserError {
    long start = System.nanoTime();
    while (!stop.requested()) {
      try {
        if (condition.holds()) {
          return true;
        }
      } catch (IOException notYet) {
        // It is asked again: while it starts it may be slow, or not there.
      }
      if (!process.isAlive() || (System.nanoTime() - start) / 1e9 > START_SECONDS) {
        throw failure(otherwise);
      }
      pause();
    }
    return false;
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the server", e);
    }
  }

  private UserError failure(String what) throws IOException {
    List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
    int first = 0;
    while (first < lines.size() && !FAILURE.matcher(lines.get(first)).find()) {
      first++;
    }
    // What comes first is the cause; without one, what comes last.
    int from = first < lines.size() ? first : Math.max(0, lines.size() - SHOWN_LINES);
    List<String> said = lines.subList(from, Math.min(lines.size(), from + SHOWN_LINES));
    return new UserError(
        "the server " + what + "; it says:" + System.lineSeparator() + String.join("\n", said));
  }

  /** Its answers. */
  RestClient rest() {
    return rest;
  }

  @Override
  public void close() {
    rest.close();
    process.destroy();
    boolean interrupted = false;
    boolean asked = false;
    while (process.isAlive()) {
      try {
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS) || asked) {
          process.destroyForcibly();
        }
        asked = true;
      } catch (InterruptedException e) {
        interrupted = true;
        process.destroyForcibly();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
