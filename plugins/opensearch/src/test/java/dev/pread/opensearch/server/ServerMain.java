/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a server for another program: {@code ServerMain [--jars DIR [--plugin ZIP]] HOME
 * [-OPTION]... [KEY=VALUE]...}.
 *
 * <p>Where {@code --jars} is given and {@code HOME} does not exist it is put together first. What
 * begins with a hyphen goes to the server's JVM, the rest are settings. Prints {@code pid N}, and
 * {@code http PORT} when the server answers; ends it when standard input ends, or when it is asked
 * to end itself.
 */
public final class ServerMain {

  private ServerMain() {}

  /** See the class. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws IOException {
    Path jars = null;
    Path zip = null;
    Path home = null;
    List<String> options = new ArrayList<>();
    Map<String, String> settings = new LinkedHashMap<>();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (argument.equals("--jars")) {
        jars = Path.of(arguments[++i]);
      } else if (argument.equals("--plugin")) {
        zip = Path.of(arguments[++i]);
      } else if (argument.startsWith("-")) {
        options.add(argument);
      } else if (home == null) {
        home = Path.of(argument);
      } else {
        int equals = argument.indexOf('=');
        settings.put(argument.substring(0, equals), argument.substring(equals + 1));
      }
    }
    ServerHome found =
        jars != null && !Files.exists(home)
            ? ServerHome.assemble(jars, zip, home)
            : new ServerHome(home.toAbsolutePath());
    try (ServerProcess server = ServerProcess.launch(found, options, settings)) {
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      System.out.println("pid " + server.pid());
      System.out.println("http " + server.awaitPort());
      System.in.transferTo(java.io.OutputStream.nullOutputStream());
    }
  }
}
