/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.harness.ServerProcess;
import dev.pread.plugin.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.elasticsearch.bootstrap.ServerArgs;
import org.elasticsearch.common.io.stream.OutputStreamStreamOutput;
import org.elasticsearch.common.settings.KeyStoreWrapper;
import org.elasticsearch.common.settings.Settings;

/** Starts servers in processes of their own, with their entitlements enforced. */
final class ServerLauncher {

  private ServerLauncher() {}

  /**
   * Starts one, and returns it when it answers.
   *
   * @param more settings
   * @throws IOException with what the server printed, if it does not start
   */
  static ServerProcess start(ServerHome home, Map<String, String> more) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command(home.path()));
    builder.directory(home.path().toFile());
    builder.environment().put("LIBFFI_TMPDIR", home.path().resolve("tmp").toString());
    ServerProcess server = ServerProcess.launch(builder, home.path().resolve("logs"));
    try {
      tell(server, home, more);
    } catch (IOException | RuntimeException e) {
      server.kill();
      throw e;
    }
    Messages.keepVersion(server.awaited().said());
    return server;
  }

  private static List<String> command(Path home) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.add("-Xmx512m");
    command.add("-Djava.io.tmpdir=" + home.resolve("tmp"));
    command.add("-Des.path.home=" + home);
    command.add("-Des.path.conf=" + home.resolve("config"));
    command.add("-Des.nativelibs.path=" + home.resolve("lib/platform"));
    command.add("-Des.distribution.type=tar");
    command.add("-Dlog4j2.disable.jmx=true");
    command.add("-Dio.netty.noUnsafe=true");
    command.add("-Djdk.attach.allowAttachSelf=true");
    command.add("-XX:+EnableDynamicAgentLoading");
    // Its launcher says this of native access: not a word about plugins, and it is denied to all
    // others.
    command.add("--enable-native-access=org.elasticsearch.nativeaccess,org.apache.lucene.core");
    command.add("--illegal-native-access=deny");
    command.add("--add-modules=jdk.incubator.vector");
    try (var bridges = Files.list(home.resolve("lib/entitlement-bridge"))) {
      command.add("--patch-module=java.base=" + bridges.findFirst().orElseThrow());
    }
    command.add(
        "--add-exports=java.base/org.elasticsearch.entitlement.bridge="
            + "org.elasticsearch.entitlement,java.logging,java.net.http,java.naming,jdk.net");
    // The entitlements of 9.2.8 name these in the JDK; those of others don't.
    for (String hidden :
        List.of(
            "java.base/sun.net.www",
            "java.base/sun.net.www.protocol.file",
            "java.base/sun.net.www.protocol.ftp",
            "java.base/sun.net.www.protocol.http",
            "java.base/sun.net.www.protocol.https",
            "java.base/sun.net.www.protocol.jar",
            "java.base/sun.net.www.protocol.mailto",
            "java.base/jdk.internal.foreign",
            "java.base/jdk.internal.foreign.abi",
            "java.base/jdk.internal.foreign.layout",
            "java.net.http/jdk.internal.net.http",
            "jdk.jdi/com.sun.tools.jdi",
            "jdk.jlink/jdk.tools.jlink.internal")) {
      command.add("--add-exports=" + hidden + "=org.elasticsearch.entitlement");
    }
    command.add("--module-path");
    command.add(home.resolve("lib").toString());
    command.add("--add-modules=jdk.net,jdk.management.agent,ALL-MODULE-PATH");
    command.add("-m");
    command.add("org.elasticsearch.server/org.elasticsearch.bootstrap.Elasticsearch");
    return command;
  }

  /** Tells the server its settings on its standard input, as its launcher does. */
  private static void tell(ServerProcess server, ServerHome home, Map<String, String> more)
      throws IOException {
    Settings.Builder settings =
        Settings.builder()
            .put("node.name", "real")
            .put("cluster.name", "pread-real")
            .put("path.home", home.path().toString())
            .put("path.logs", home.path().resolve("logs").toString())
            .put("path.repo", home.path().resolve("repo").toString());
    ServerProcess.SETTINGS.forEach(settings::put);
    if (!more.containsKey("discovery.seed_hosts")) {
      settings.put("discovery.type", "single-node");
    }
    more.forEach(settings::put);
    ServerArgs arguments =
        new ServerArgs(
            false,
            false,
            null,
            KeyStoreWrapper.create(),
            settings.build(),
            home.path().resolve("config"),
            home.path().resolve("logs"));
    OutputStreamStreamOutput out = new OutputStreamStreamOutput(server.input());
    arguments.writeTo(out);
    out.flush();
  }
}
