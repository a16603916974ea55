/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options of {@code server}. Mutable only while they are parsed and checked. */
final class ServerOptions {
  private static final long MEBI = 1L << 20;

  /** What a quarter of has room for a server with its heap, and some of the index. */
  private static final long MEMORY = 1536 * MEBI;

  private static final int QUARTER = 4;

  /** What a server has outside its heap, at least. */
  private static final long BESIDE_HEAP = 256 * MEBI;

  private static final Pattern STORE = Pattern.compile("[a-z][a-z_]*");

  @Option(
      names = "--home",
      paramLabel = "DIR",
      required = true,
      description = "An OpenSearch with the plugin installed; nothing in it is changed")
  private Path home;

  @Option(
      names = "--java-home",
      paramLabel = "DIR",
      description = "The JDK that runs it; default: the one that runs this")
  private Path java;

  @Option(
      names = "--stores",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "hybridfs,niofs,mmapfs,pread,pread_direct",
      description =
          "Values of index.store.type, the first one is the reference; default: ${DEFAULT-VALUE}")
  private List<String> stores;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      defaultValue = "512m",
      description = "Heap of the server; default: ${DEFAULT-VALUE}")
  private long heap;

  @Option(
      names = "--index-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Size of the index; default: four times --memory, with --quick 16m")
  private Long indexSize;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Connections that send requests; default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description = "Seconds before anything counts; default: 20, with --quick 1")
  private Double warmup;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each measurement; default: 30, with --quick 1")
  private Double seconds;

  @Option(
      names = "--setting",
      paramLabel = "STORE=NAME=VALUE",
      description = "A setting of the node for one store; can be repeated")
  private List<String> settings = List.of();

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description = "Text to index: a folder, a zip or a tar archive; default: the JDK's src.zip")
  private Path corpus;

  private long memory;

  /** Made by picocli. */
  ServerOptions() {}

  /** Checks that the server can get to what is named. */
  void requireWays() throws UserError, IOException {
    ServerAccount.requireWay("--home", home);
    ServerAccount.requireWay("--java-home", java);
  }

  /** Checks that they make sense, and fills in defaults. */
  void check(SuiteOptions suite) throws UserError {
    if (!Files.isExecutable(home.resolve("bin/opensearch"))) {
      throw new UserError(
          "--home " + home + " has no bin/opensearch: name the folder of an OpenSearch");
    }
    home = home.toAbsolutePath().normalize();
    java = java == null ? Path.of(System.getProperty("java.home")) : java.toAbsolutePath();
    if (!Files.isExecutable(java.resolve("bin/java"))) {
      throw new UserError("--java-home " + java + " has no bin/java: name the home of a JDK");
    }
    memory = suite.memory(MEMORY);
    if (indexSize == null) {
      indexSize = suite.quick() ? 16 * MEBI : QUARTER * memory;
    }
    warmup = warmup != null ? warmup : suite.quick() ? 1.0 : 20.0;
    seconds = seconds != null ? seconds : suite.quick() ? 1.0 : 30.0;
    Checks.positive("--index-size", indexSize.doubleValue());
    Checks.positive("--clients", clients);
    Checks.notNegative("--warmup", warmup);
    Checks.positive("--seconds", seconds);
    if (heap < 128 * MEBI || heap > memory - BESIDE_HEAP) {
      throw new UserError(
          "--heap "
              + ByteSize.format(heap)
              + " does not go with --memory "
              + ByteSize.format(memory)
              + ": name one between 128m and what leaves 256m of that");
    }
    Set<String> once = new LinkedHashSet<>(stores);
    for (String store : stores) {
      if (!STORE.matcher(store).matches() || !once.remove(store)) {
        throw new UserError("--stores " + store + ": name values of index.store.type, each once");
      }
    }
    for (String setting : settings) {
      String[] parts = setting.split("=", 3);
      if (parts.length != 3 || parts[1].isBlank() || !stores.contains(parts[0])) {
        throw new UserError(
            "--setting "
                + setting
                + ": write STORE=NAME=VALUE, with a store out of "
                + String.join(", ", stores));
      }
    }
    corpus = corpus == null ? Corpora.jdkSource() : corpus;
    if (!Files.exists(corpus)) {
      throw new UserError(
          "corpus " + corpus + " does not exist: name a folder, a zip or a tar archive of text");
    }
  }

  /** For the report. */
  Map<String, Object> describe() {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("stores", stores);
    described.put("memoryBytes", memory);
    described.put("heapBytes", heap);
    described.put("indexBytes", indexSize);
    described.put("clients", clients);
    described.put("warmupSeconds", warmup);
    described.put("seconds", seconds);
    described.put("settings", settings);
    described.put("corpus", corpus.getFileName().toString());
    return described;
  }

  /** What the index is made of: a kept one of another origin is not used. */
  String origin() {
    return corpus.toAbsolutePath() + "|" + corpus.toFile().length() + "|" + indexSize;
  }

  /** The node's settings with a store. */
  List<String> settings(String store) {
    List<String> own = new ArrayList<>();
    own.add("index.store.type=" + store);
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      if (parts[0].equals(store)) {
        own.add(parts[1]);
      }
    }
    return own;
  }

  OpenSearchNode.Setup setup(Path folder) {
    return new OpenSearchNode.Setup(home, java, folder, heap);
  }

  List<String> stores() {
    return stores;
  }

  /** The memory limit, in bytes. */
  long memory() {
    return memory;
  }

  long heap() {
    return heap;
  }

  long indexSize() {
    return indexSize;
  }

  int clients() {
    return clients;
  }

  double warmup() {
    return warmup;
  }

  double seconds() {
    return seconds;
  }

  Path corpus() {
    return corpus;
  }
}
