/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.lucene.util.IOUtils;
import org.elasticsearch.Build;
import org.elasticsearch.io.ansi.AnsiConsoleLoader;

/** The folder of a server, put together from what Maven has, with the plugin installed. */
final class ServerHome {

  /** What the server itself consists of, in the parts of the class path of the tests. */
  private static final List<String> SERVER =
      List.of(
          "/org/elasticsearch/",
          "/org/apache/lucene/",
          "/org/apache/logging/",
          "/co/elastic/logging/",
          "/com/carrotsearch/hppc/",
          "/org/hdrhistogram/",
          "/net/sf/jopt-simple/",
          "/at/yawk/lz4/",
          "/org/jruby/");

  static final String DESCRIPTOR = "plugin-descriptor.properties";
  private static final String NETTY_MODULE = "META-INF/es-plugins/transport-netty4/";

  private final Path home;

  /** Returns what the build made; where it has not yet, the test is left to a later phase. */
  static Path zip() {
    String made = System.getProperty("plugin.zip");
    assumeTrue(made != null, "the zip is made later in the build");
    return Path.of(made);
  }

  /**
   * @param home an empty folder
   * @param plugin the zip
   */
  ServerHome(Path home, Path plugin) throws IOException {
    this.home = home;
    for (String folder : List.of("config", "logs", "tmp", "modules", "plugins", "bin")) {
      Files.createDirectories(home.resolve(folder));
    }
    copy(
        home.resolve("lib"),
        path -> isServer(path) && !isNetty(path) && !path.contains("entitlement-bridge"));
    copy(home.resolve("lib/entitlement-bridge"), path -> path.contains("entitlement-bridge"));
    jar(home.resolve("lib/entitlement-agent/agent.jar"), EntitlementAgent.class, agentManifest());
    jar(home.resolve("lib/tools/ansi-console/none.jar"), AnsiConsoleLoader.class, manifest());
    Path netty = home.resolve("modules/transport-netty4");
    copy(netty, ServerHome::isNetty);
    describe(netty);
    installPlugin(plugin);
    Files.writeString(
        home.resolve("config/log4j2.properties"),
        """
        status = error
        appender.console.type = Console
        appender.console.name = console
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = [%level][%c{1.}] %msg%n
        rootLogger.level = info
        rootLogger.appenderRef.console.ref = console
        """);
  }

  private static boolean isServer(String path) {
    return SERVER.stream().anyMatch(path::contains);
  }

  private static boolean isNetty(String path) {
    return path.contains("/io/netty/")
        || path.contains("/transport-netty4/")
        || path.contains("/elasticsearch-ssl-config/");
  }

  private static List<Path> classPath(Predicate<String> wanted) {
    List<Path> found = new ArrayList<>();
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (path.endsWith(".jar") && wanted.test(path)) {
        found.add(Path.of(path));
      }
    }
    return found;
  }

  private static void copy(Path folder, Predicate<String> wanted) throws IOException {
    Files.createDirectories(folder);
    for (Path jar : classPath(wanted)) {
      Files.copy(jar, folder.resolve(jar.getFileName()));
    }
  }

  /** Its descriptor and policy are in its own jar, which may be that of another patch release. */
  private static void describe(Path netty) throws IOException {
    Path jar = classPath(path -> path.contains("/transport-netty4/")).get(0);
    try (JarFile file = new JarFile(jar.toFile())) {
      for (String name : List.of(DESCRIPTOR, "entitlement-policy.yaml")) {
        try (InputStream in = file.getInputStream(file.getEntry(NETTY_MODULE + name))) {
          Files.copy(in, netty.resolve(name));
        }
      }
    }
    sayVersion(netty.resolve(DESCRIPTOR), Build.current().version());
  }

  /** Has a descriptor say that it is for this version of the server. */
  static void sayVersion(Path descriptor, String version) throws IOException {
    String before = Files.readString(descriptor);
    Files.writeString(
        descriptor, before.replaceAll("(?m)^(elasticsearch.version)=.*", "$1=" + version));
  }

  private static Manifest agentManifest() {
    Manifest manifest = manifest();
    manifest.getMainAttributes().putValue("Agent-Class", EntitlementAgent.class.getName());
    manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
    return manifest;
  }

  private static Manifest manifest() {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    return manifest;
  }

  private static void jar(Path jar, Class<?> content, Manifest manifest) throws IOException {
    Files.createDirectories(jar.getParent());
    String name = content.getName().replace('.', '/') + ".class";
    try (InputStream code = content.getClassLoader().getResourceAsStream(name);
        OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.putNextEntry(new JarEntry(name));
      code.transferTo(out);
    }
  }

  /** Unpacks the zip as the server's own installer does. */
  private static void unzip(Path zip, Path folder) throws IOException {
    Files.createDirectories(folder);
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Files.copy(in, folder.resolve(entry.getName()));
      }
    }
  }

  void installPlugin(Path zip) throws IOException {
    unzip(zip, pluginFolder());
  }

  void removePlugin() throws IOException {
    IOUtils.rm(pluginFolder());
  }

  Path path() {
    return home;
  }

  Path pluginFolder() {
    return home.resolve("plugins/pread");
  }
}
