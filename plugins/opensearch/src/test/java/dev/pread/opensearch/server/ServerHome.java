/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of a server: {@code lib}, {@code modules}, {@code plugins}, {@code config}, {@code
 * data} and so on, as a distribution has them.
 *
 * @param path the folder
 * @param java the home of the Java that it runs on
 */
public record ServerHome(Path path, Path java) {

  private static final String PLUGIN = "pread";

  /**
   * Puts one together.
   *
   * @param jars a folder with those of the server: {@code lib}, {@code netty}, {@code agent},
   *     {@code launchers}, {@code installer}, and of some {@code painless}
   * @param zip the plugin, which is installed as its documentation says; null for a server without
   * @param path what it is to be in, which must not exist
   * @param java the home of the Java that it runs on
   */
  public static ServerHome assemble(Path jars, Path zip, Path path, Path java) throws IOException {
    if (!Files.isDirectory(jars.resolve("lib"))) {
      throw new IOException(
          "no lib in " + jars + ": name the folder that `mvn -Pplugins package` has filled");
    }
    ServerHome home = new ServerHome(path.toAbsolutePath(), java);
    Files.createDirectories(home.path);
    for (String folder :
        List.of("bin", "config/jvm.options.d", "data", "logs", "tmp", "repository", "plugins")) {
      Files.createDirectories(home.path.resolve(folder));
    }
    copyAll(jars.resolve("lib"), home.path.resolve("lib"));
    copyAll(jars.resolve("launchers"), home.path.resolve("lib"));
    copyAll(jars.resolve("agent"), home.path.resolve("agent"));
    home.addModule(
        jars.resolve("netty"),
        "transport-netty4",
        "org.opensearch.transport." + (home.isOfMajor2() ? "Netty4Plugin" : "Netty4ModulePlugin"));
    if (Files.isDirectory(jars.resolve("painless"))) {
      home.addModule(
          jars.resolve("painless"), "lang-painless", "org.opensearch.painless.PainlessPlugin");
    }
    copyAll(jars.resolve("installer"), home.path.resolve("lib/tools/plugin-cli"));
    for (String file : List.of("jvm.options", "log4j2.properties")) {
      copy(file, home.path.resolve("config").resolve(file));
    }
    home.addScript("opensearch");
    home.addScript("opensearch-plugin");
    if (zip != null) {
      home.install(zip);
      home.allowNativeAccess();
    }
    return home;
  }

  /** Assembles one for another program, which starts it by its {@code bin/opensearch}. */
  public static void main(String[] jarsZipAndPath) throws IOException {
    List<Path> paths = Stream.of(jarsZipAndPath).map(Path::of).toList();
    Path java = Path.of(System.getProperty("java.home"));
    assemble(paths.get(0), paths.get(1), paths.get(2), java);
  }

  private void addScript(String name) throws IOException {
    Path script = path.resolve("bin").resolve(name);
    copy(name + ".sh", script);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /**
   * A module as a distribution has it, with the descriptor and the policy that the artifacts lack.
   *
   * @param folder its jars
   */
  private void addModule(Path folder, String name, String className) throws IOException {
    Path module = path.resolve("modules").resolve(name);
    copyAll(folder, module);
    Files.writeString(
        module.resolve("plugin-descriptor.properties"),
        resource("module.properties")
            .replace("NAME", name)
            .replace("VERSION", version(path))
            .replace("CLASS", className));
    copy(name + ".policy", module.resolve("plugin-security.policy"));
  }

  private boolean isOfMajor2() throws IOException {
    return version(path).startsWith("2.");
  }

  private static String version(Path jars) throws IOException {
    String prefix = "opensearch-core-";
    try (Stream<Path> files = Files.list(jars.resolve("lib"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(prefix) && name.endsWith(".jar"))
          .map(name -> name.substring(prefix.length(), name.length() - ".jar".length()))
          .findFirst()
          .orElseThrow(() -> new IOException("no " + prefix + "*.jar in " + jars));
    }
  }

  private static void copyAll(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /** A second name is enough, and half a gigabyte of servers less. */
  private static void copy(Path from, Path to) throws IOException {
    try {
      Files.createLink(to, from.toRealPath());
    } catch (FileSystemException | UnsupportedOperationException e) {
      Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static void copy(String resource, Path to) throws IOException {
    Files.writeString(to, resource(resource));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = ServerHome.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Installs the plugin by the server's own installer. Nobody answers a question: that of a 2.x,
   * which the policy needs, is left out, and that of another ends it.
   *
   * @throws IOException if that refuses, with what it said
   */
  public void install(Path zip) throws IOException {
    String plugin = zip.toUri().toString();
    if (isOfMajor2()) {
      runInstaller("install", "--batch", plugin);
    } else {
      runInstaller("install", plugin);
    }
  }

  /** Removes the plugin in the same way. */
  public void remove() throws IOException {
    runInstaller("remove", PLUGIN);
  }

  private void allowNativeAccess() throws IOException {
    Files.writeString(
        path.resolve("config/jvm.options.d/pread.options"), "--enable-native-access=ALL-UNNAMED\n");
  }

  private void runInstaller(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(path.resolve("bin/opensearch-plugin").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectInput(new File("/dev/null"));
    builder.environment().put("OPENSEARCH_JAVA_HOME", java.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command + " ended with " + process.exitValue() + ": " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + command, e);
    }
  }

  /** Returns the plugin's own folder. */
  public Path plugin() {
    return path.resolve("plugins").resolve(PLUGIN);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
