/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import dev.pread.harness.Account;
import dev.pread.harness.MemoryCgroup;
import dev.pread.harness.ServerProcess;
import dev.pread.plugin.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Starts the server of a {@link ServerHome} in a process of its own, on the loopback address. */
public final class ServerLauncher {

  private ServerLauncher() {}

  /**
   * Starts a server and returns at once.
   *
   * @param group that limits its memory, or null
   * @param options of the JVM, over those of {@code config/jvm.options} and {@code jvm.options.d}
   * @param settings over those that every server has
   */
  public static ServerProcess launch(
      MemoryCgroup group, ServerHome home, List<String> options, Map<String, String> settings)
      throws IOException {
    writeSettings(home, settings);
    Account.give(home.path(), "config", "data", "logs", "tmp", "repository");
    // It joins a group while it is still root's.
    List<String> command = new ArrayList<>(group == null ? List.of() : group.prefix());
    command.addAll(Account.prefix());
    command.add(home.path().resolve("bin/opensearch").toString());
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.path().toFile());
    builder.environment().put("OPENSEARCH_JAVA_HOME", home.java().toString());
    builder.environment().put("OPENSEARCH_JAVA_OPTS", String.join(" ", options));
    return ServerProcess.launch(builder, home.path().resolve("logs"));
  }

  /** Does that without a limit, and returns when it answers; where it does not, it is ended. */
  public static ServerProcess start(
      ServerHome home, List<String> options, Map<String, String> settings) throws IOException {
    return answering(launch(null, home, options, settings));
  }

  /** Does what {@link #start} does, in a group that limits its memory. */
  public static ServerProcess startIn(
      MemoryCgroup group, ServerHome home, List<String> options, Map<String, String> settings)
      throws IOException {
    return answering(launch(group, home, options, settings));
  }

  private static ServerProcess answering(ServerProcess server) throws IOException {
    Messages.keepVersion(server.awaited().said());
    return server;
  }

  private static void writeSettings(ServerHome home, Map<String, String> settings)
      throws IOException {
    Map<String, String> all = new LinkedHashMap<>(ServerProcess.SETTINGS);
    all.put("cluster.name", "servers");
    all.put("node.name", "server");
    all.put("discovery.type", "single-node");
    all.put("path.repo", home.path().resolve("repository").toString());
    all.putAll(settings);
    StringBuilder text = new StringBuilder();
    all.forEach((key, value) -> text.append(key).append(": \"").append(value).append("\"\n"));
    Files.writeString(home.path().resolve("config/opensearch.yml"), text);
  }
}
