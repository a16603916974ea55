/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, on the loopback address. Closing it asks the process to end and
 * waits for that. Where this JVM ends first, so does the process, unless this one is killed with no
 * time to do anything.
 */
public final class ServerProcess implements AutoCloseable {

  /**
   * Settings without which it cannot be one, to be given to the server with those of its own: ports
   * that are free, and that it writes down.
   */
  public static final Map<String, String> SETTINGS =
      Map.of(
          "network.host", "127.0.0.1",
          "http.port", "0",
          "transport.port", "0",
          "node.portsfile", "true",
          // The disk may be fuller than a server in use would like: that decides nothing here.
          "cluster.routing.allocation.disk.threshold_enabled", "false");

  /** Options of the JVM of each server, before those of its own, which count if they differ. */
  private static final String JVM_OPTIONS = System.getProperty("test.server.options", "");

  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final String HTTP = "http";
  private static final String TRANSPORT = "transport";

  private final Path logs;
  private final Process process;

  /** Ends the process with this JVM. */
  private final Thread hook;

  private ServerProcess(Path logs, Process process) {
    this.logs = logs;
    this.process = process;
    this.hook = new Thread(process::destroyForcibly, "end of server " + process.pid());
  }

  /**
   * Starts a server and returns at once.
   *
   * @param command which becomes the server: its process id is that of the server
   * @param logs the folder where the server writes its ports, and this what the server says
   */
  public static ServerProcess launch(ProcessBuilder command, Path logs) throws IOException {
    Files.deleteIfExists(ports(logs, HTTP));
    Files.deleteIfExists(ports(logs, TRANSPORT));
    if (!JVM_OPTIONS.isEmpty()) {
      command.environment().put("JDK_JAVA_OPTIONS", JVM_OPTIONS);
    }
    command
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(console(logs).toFile()));
    ServerProcess server = new ServerProcess(logs, command.start());
    try {
      Runtime.getRuntime().addShutdownHook(server.hook);
    } catch (IllegalStateException e) {
      server.kill();
      throw new IOException("no server is started while this JVM ends", e);
    }
    return server;
  }

  /**
   * Waits until it answers, and returns it; where it does not, it is ended.
   *
   * @throws IOException if it does not come up, with what it said
   */
  public ServerProcess awaited() throws IOException {
    try {
      awaitPort();
      return this;
    } catch (Throwable t) {
      kill();
      throw t;
    }
  }

  private static Path ports(Path logs, String protocol) {
    return logs.resolve(protocol + ".ports");
  }

  private static Path console(Path logs) {
    return logs.resolve("console.log");
  }

  /** Returns where a server may read what its launcher tells it. */
  public OutputStream input() {
    return process.getOutputStream();
  }

  /**
   * Waits until it answers, and returns the port for HTTP.
   *
   * @throws IOException if it does not come up, with what it said
   */
  public int awaitPort() throws IOException {
    return awaitPort(HTTP);
  }

  /** Does what {@link #awaitPort()} does, but returns the port for other nodes. */
  public int awaitTransportPort() throws IOException {
    return awaitPort(TRANSPORT);
  }

  private int awaitPort(String protocol) throws IOException {
    Path ports = ports(logs, protocol);
    long end = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!Files.exists(ports)) {
      if (awaitEnd(POLL_INTERVAL)) {
        throw new IOException("it ended with " + process.exitValue() + ": " + said());
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException("not up after " + START_TIMEOUT + ": " + said());
      }
    }
    String first = Files.readAllLines(ports).get(0);
    return Integer.parseInt(first.substring(first.lastIndexOf(':') + 1).trim());
  }

  /** Returns everything it has said, and all before it in the same home. */
  public String said() throws IOException {
    return Files.readString(console(logs));
  }

  /**
   * Waits until it has said something.
   *
   * @throws IOException if it does not, with what it said instead
   */
  public void awaitSaid(String text) throws IOException {
    long end = System.nanoTime() + STOP_TIMEOUT.toNanos();
    boolean ended = false;
    while (!said().contains(text)) {
      if (ended || System.nanoTime() - end > 0) {
        throw new IOException("it does not say [" + text + "]: " + said());
      }
      ended = awaitEnd(POLL_INTERVAL);
    }
  }

  public long pid() {
    return process.pid();
  }

  /** Waits for it to end by itself, and returns its exit code. */
  public int awaitEnd() throws IOException {
    if (!awaitEnd(START_TIMEOUT)) {
      kill();
      throw new IOException("it does not end: " + said());
    }
    return process.exitValue();
  }

  private boolean awaitEnd(Duration time) throws IOException {
    try {
      return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a server", e);
    }
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

  /**
   * Asks it to end, and waits for that; where it has not ended in time, it is made to.
   *
   * @return whether it has ended by itself
   */
  public boolean stop(Duration time) throws IOException {
    process.destroy();
    try {
      return awaitEnd(time);
    } finally {
      kill();
    }
  }

  /**
   * Asks it to end, and waits for that.
   *
   * @throws IOException if it had to be made to, with what it said
   */
  @Override
  public void close() throws IOException {
    if (!stop(STOP_TIMEOUT)) {
      throw new IOException("it does not end when it is asked to: " + said());
    }
  }
}
