/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, on the loopback address. Closing it asks the process to end and
 * waits for that. Where this JVM ends first, so does the process, unless this one is killed with no
 * time to do anything.
 */
public final class ServerProcess implements AutoCloseable {

  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration STOP = Duration.ofMinutes(1);
  private static final String HTTP = "http";
  private static final String TRANSPORT = "transport";

  private final ServerHome home;
  private final Process process;

  /** Ends the process with this JVM. */
  private final Thread hook;

  private ServerProcess(ServerHome home, Process process) {
    this.home = home;
    this.process = process;
    this.hook = new Thread(process::destroyForcibly, "end of server " + process.pid());
  }

  /**
   * Starts a server and returns at once.
   *
   * @param options of the JVM, over those of {@code config/jvm.options} and {@code jvm.options.d}
   * @param settings over those that every server has: alone, on the loopback address, any port
   */
  public static ServerProcess launch(
      ServerHome home, List<String> options, Map<String, String> settings) throws IOException {
    return launch(home, options, settings, List.of());
  }

  private static ServerProcess launch(
      ServerHome home, List<String> options, Map<String, String> settings, List<String> prefix)
      throws IOException {
    writeSettings(home, settings);
    Files.deleteIfExists(ports(home, HTTP));
    Files.deleteIfExists(ports(home, TRANSPORT));
    Account.give(home);
    // It joins a group while it is still root's.
    List<String> command = new ArrayList<>(prefix);
    command.addAll(Account.prefix());
    command.add(home.path().resolve("bin/opensearch").toString());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.path().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(home.console().toFile()));
    builder.environment().put("OPENSEARCH_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("OPENSEARCH_JAVA_OPTS", String.join(" ", options));
    // The script becomes the server: its process id is that of the server.
    Process process = builder.start();
    ServerProcess server = new ServerProcess(home, process);
    Runtime.getRuntime().addShutdownHook(server.hook);
    return server;
  }

  /** As {@link #launch}, and returns when it answers; where it does not, it is ended. */
  public static ServerProcess start(
      ServerHome home, List<String> options, Map<String, String> settings) throws IOException {
    return awaited(launch(home, options, settings));
  }

  /** As {@link #start}, in a group that limits its memory. */
  public static ServerProcess startIn(
      MemoryGroup group, ServerHome home, List<String> options, Map<String, String> settings)
      throws IOException {
    return awaited(launch(home, options, settings, group.prefix()));
  }

  private static ServerProcess awaited(ServerProcess server) throws IOException {
    try {
      server.awaitPort();
      return server;
    } catch (Throwable t) {
      server.kill();
      throw t;
    }
  }

  private static void writeSettings(ServerHome home, Map<String, String> settings)
      throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("cluster.name", "servers");
    all.put("node.name", "server");
    all.put("network.host", "127.0.0.1");
    all.put("http.port", "0");
    all.put("transport.port", "0");
    all.put("discovery.type", "single-node");
    all.put("node.portsfile", "true");
    all.put("path.repo", home.path().resolve("repository").toString());
    all.put("cluster.routing.allocation.disk.threshold_enabled", "false");
    all.putAll(settings);
    StringBuilder text = new StringBuilder();
    all.forEach((key, value) -> text.append(key).append(": \"").append(value).append("\"\n"));
    Files.writeString(home.path().resolve("config/opensearch.yml"), text);
  }

  private static Path ports(ServerHome home, String protocol) {
    return home.path().resolve("logs/" + protocol + ".ports");
  }

  /**
   * Waits until it answers, and returns the port for HTTP.
   *
   * @throws IOException if it does not come up, with what it said
   */
  public int awaitPort() throws IOException {
    return awaitPort(HTTP);
  }

  /** As {@link #awaitPort()}, the port for other servers. */
  public int awaitTransportPort() throws IOException {
    return awaitPort(TRANSPORT);
  }

  private int awaitPort(String protocol) throws IOException {
    Path ports = ports(home, protocol);
    long deadline = System.nanoTime() + START.toNanos();
    try {
      while (System.nanoTime() < deadline) {
        if (Files.exists(ports)) {
          for (String address : Files.readAllLines(ports)) {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1).trim());
          }
        }
        if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
          throw new IOException("it ended with " + process.exitValue() + ": " + said());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a server started", e);
    }
    throw new IOException("not up after " + START + ": " + said());
  }

  /** Everything it has said, and all before it in the same home. */
  public String said() throws IOException {
    return Files.readString(home.console());
  }

  /**
   * Waits until it has said something.
   *
   * @throws IOException if it does not, with what it said instead
   */
  public void awaitSaid(String text) throws IOException {
    long deadline = System.nanoTime() + STOP.toNanos();
    try {
      while (!said().contains(text)) {
        if (System.nanoTime() > deadline) {
          throw new IOException("it does not say [" + text + "]: " + said());
        }
        Thread.sleep(100);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for [" + text + "]", e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public ServerHome home() {
    return home;
  }

  /** Waits for it to end by itself, and returns its exit code. */
  public int awaitEnd() throws IOException {
    try {
      if (process.waitFor(START.toSeconds(), TimeUnit.SECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
    throw new IOException("it does not end: " + said());
  }

  /** Ends it without asking, as a crash would. */
  public void kill() {
    process.destroyForcibly().onExit().join();
    forget();
  }

  private void forget() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This JVM is about to end, and the process has: to end it once more does no harm.
      assert !process.isAlive() : e;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
        forget();
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }
}
