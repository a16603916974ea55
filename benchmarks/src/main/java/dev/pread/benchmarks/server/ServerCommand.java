/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures searches over HTTP with little memory. */
@Command(
    name = "server",
    description =
        "Measures the same searches over HTTP against an OpenSearch with a memory limit of a"
            + " quarter of the index, for each way it can store one. Needs an OpenSearch with the"
            + " plugin installed, and without its security plugin.")
public final class ServerCommand extends SuiteCommand {
  /** The default limit, which has room for a server with its heap and some of the index. */
  private static final long MEMORY = 1536 * MEBI;

  @Option(
      names = "--home",
      paramLabel = "DIR",
      required = true,
      description = "An OpenSearch with the plugin installed; nothing in it is changed")
  Path home;

  @Option(
      names = "--stores",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "hybridfs,niofs,mmapfs,pread,pread_direct",
      description =
          "Values of index.store.type, the first one is the reference; default: ${DEFAULT-VALUE}")
  List<String> stores;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "Heap of the server; default: ${DEFAULT-VALUE}")
  Long heap;

  @Option(
      names = "--index-size",
      paramLabel = "SIZE",
      description = "Size of the index; default: four times --memory, with --quick 16m")
  Long indexSize;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of each measurement, after two thirds of that to warm up; default: 30, with"
              + " --quick 1")
  Double seconds;

  @Option(
      names = "--setting",
      paramLabel = "STORE=NAME=VALUE",
      description = "A setting of the node for one store; can be repeated")
  List<String> settings = List.of();

  @Mixin IndexOptions sources = new IndexOptions();

  @Override
  public void check(SuiteOptions suite) {
    if (!Files.isExecutable(home.resolve("bin/opensearch"))) {
      throw new UserError(
          "--home " + home + " has no bin/opensearch: name the folder of an OpenSearch");
    }
    home = home.toAbsolutePath().normalize();
    memory = suite.memory(MEMORY);
    indexSize =
        indexSize != null ? indexSize : Long.valueOf(suite.quick() ? 16 * MEBI : 4 * memory);
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 1 : 30);
    stores = stores.stream().distinct().toList();
    for (String setting : settings) {
      if (stores.stream().noneMatch(store -> setting.matches(store + "=[^=\\s]+=.*"))) {
        String words = "write STORE=NAME=VALUE, with a store out of " + String.join(", ", stores);
        throw new UserError("--setting " + setting + ": " + words);
      }
    }
    sources.check();
  }

  List<String> settings(String store) {
    Stream<String> own =
        settings.stream()
            .filter(setting -> setting.startsWith(store + "="))
            .map(setting -> setting.substring(store.length() + 1));
    return Stream.concat(Stream.of("index.store.type=" + store), own).toList();
  }

  @Override
  protected void measureOnBed() throws IOException {
    new ServerRounds(session, bed, this).run();
  }
}
