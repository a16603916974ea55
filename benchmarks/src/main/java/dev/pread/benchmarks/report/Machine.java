/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.harness.ProcessFigures;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Tells what a figure depends on besides the code: processor, memory, kernel, JVM. What the system
 * does not tell is left out. It tells no names of hosts or users.
 */
public final class Machine {
  private Machine() {}

  public static Run.About about(String command, String version) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    return new Run.About(now, command, version, describe(), jvm(), new LinkedHashMap<>());
  }

  private static Map<String, Object> describe() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("os", System.getProperty("os.name"));
    machine.put("kernel", System.getProperty("os.version"));
    machine.put("architecture", System.getProperty("os.arch"));
    ProcessFigures.text(Path.of("/proc/cpuinfo"))
        .lines()
        .filter(line -> line.startsWith("model name"))
        .forEach(line -> machine.put("processor", line.replaceFirst(".*?:\\s*", "")));
    machine.put("processors", Runtime.getRuntime().availableProcessors());
    memory("MemTotal").ifPresent(bytes -> machine.put("memoryBytes", bytes));
    availableMemory().ifPresent(bytes -> machine.put("availableMemoryBytes", bytes));
    return machine;
  }

  private static Map<String, Object> jvm() {
    Map<String, Object> jvm = new LinkedHashMap<>();
    jvm.put("version", Runtime.version().toString());
    jvm.put("vendor", System.getProperty("java.vendor"));
    jvm.put("name", System.getProperty("java.vm.name"));
    jvm.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
    jvm.put("flags", ManagementFactory.getRuntimeMXBean().getInputArguments());
    jvm.put("vectorModule", hasVectorModule());
    jvm.put("lucene", org.apache.lucene.util.Version.LATEST.toString());
    return jvm;
  }

  /** Returns whether Lucene can use SIMD: the module has to be asked for when the JVM starts. */
  public static boolean hasVectorModule() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
  }

  /** Returns what the system could give to the page cache now, in bytes. */
  public static OptionalLong availableMemory() {
    return memory("MemAvailable");
  }

  private static OptionalLong memory(String name) {
    return LongStream.of(ProcessFigures.number(Path.of("/proc/meminfo"), name))
        .filter(kibibytes -> kibibytes >= 0)
        .map(kibibytes -> kibibytes << 10)
        .findFirst();
  }
}
