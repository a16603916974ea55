/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalLong;
import java.util.Properties;
import org.apache.lucene.util.IOUtils;

/**
 * What JMH takes for the JVM: a shell script that notes its process id, joins a memory cgroup, and
 * becomes the JVM this process runs in. So only the fork is limited, and from its first page on.
 * One thread.
 */
final class ForkScript {
  /** What it ends with if it may not join: no JVM does. */
  static final int CANNOT_JOIN = 97;

  private final Path script;
  private final Path id;

  private ForkScript(Path script, Path id) {
    this.script = script;
    this.id = id;
  }

  /**
   * Writes it.
   *
   * @param folder of its own, for it and what it writes
   * @param procs of the cgroup to join, or null
   */
  static ForkScript write(Path folder, Path procs) throws IOException {
    Files.createDirectories(folder);
    Path script = folder.resolve("java");
    Path properties = folder.resolve("properties.xml");
    Path id = folder.resolve("pid");
    Files.deleteIfExists(id);
    Files.write(properties, properties());
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String join = procs == null ? "" : orEnd("echo $$ > " + quoted(procs.toString()));
    Files.writeString(
        script,
        "#!/bin/sh\n"
            // JMH asks what JVM it is, which needs none: it is ours.
            + "case \" $* \" in *.PrintPropertiesMain' '*)\n"
            + "  for last; do :; done\n"
            + ("  exec cat " + quoted(properties.toString()) + " > \"$last\" ;;\n")
            + "esac\n"
            + orEnd("echo $$ > " + quoted(id.toString()))
            + join
            + ("exec " + quoted(java) + " \"$@\"\n"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return new ForkScript(script, id);
  }

  private static String orEnd(String command) {
    return command + " || exit " + CANNOT_JOIN + "\n";
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static byte[] properties() throws IOException {
    Properties properties = new Properties();
    for (String name :
        new String[] {"java.version", "java.vm.name", "java.vm.version", "java.vm.vendor"}) {
      properties.setProperty(name, System.getProperty(name, ""));
    }
    ByteArrayOutputStream xml = new ByteArrayOutputStream();
    properties.storeToXML(xml, null, StandardCharsets.UTF_8);
    return xml.toByteArray();
  }

  Path path() {
    return script;
  }

  /** The process it has become, as soon as it runs. */
  OptionalLong processId() {
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(id).strip()));
    } catch (IOException | NumberFormatException notYet) {
      return OptionalLong.empty();
    }
  }

  /** Deletes everything it has written. */
  void delete() throws IOException {
    IOUtils.rm(script.getParent());
  }
}
