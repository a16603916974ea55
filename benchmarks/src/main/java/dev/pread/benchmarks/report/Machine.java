/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Tells what a figure depends on besides the code: processor, memory, kernel, JVM. What the system
 * does not tell is left out. No names of hosts or users.
 */
public final class Machine {
  private static final List<String> CGROUP_LIMITS =
      List.of("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes");

  private Machine() {}

  /** Describes what figures that are measured from now on depend on. */
  public static Run.About about(String command, String version, Map<String, Object> settings) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    return new Run.About(now, command, version, describe(), jvm(), Map.of(), settings);
  }

  private static Map<String, Object> describe() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("os", System.getProperty("os.name"));
    machine.put("kernel", System.getProperty("os.version"));
    machine.put("architecture", System.getProperty("os.arch"));
    value("/proc/cpuinfo", "model name").forEach(model -> machine.put("processor", model));
    machine.put("processors", Runtime.getRuntime().availableProcessors());
    totalMemory().ifPresent(bytes -> machine.put("memoryBytes", bytes));
    availableMemory().ifPresent(bytes -> machine.put("availableMemoryBytes", bytes));
    memoryLimit().ifPresent(bytes -> machine.put("memoryLimitBytes", bytes));
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
    return jvm;
  }

  /** Returns whether Lucene can use SIMD: the module has to be asked for when the JVM starts. */
  public static boolean hasVectorModule() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
  }

  /** Returns the memory of the machine, in bytes. */
  public static OptionalLong totalMemory() {
    return memory("MemTotal");
  }

  /** Returns what the system could give to the page cache now, in bytes. */
  public static OptionalLong availableMemory() {
    return memory("MemAvailable");
  }

  private static OptionalLong memory(String name) {
    return value("/proc/meminfo", name)
        .mapToLong(value -> Long.parseLong(value.replace(" kB", "")) << 10)
        .findFirst();
  }

  /** Returns the memory limit of the cgroup that a container sees as its root, if there is one. */
  public static OptionalLong memoryLimit() {
    return CGROUP_LIMITS.stream()
        .flatMap(Machine::lines)
        .filter(line -> line.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .filter(bytes -> bytes < 1L << 60)
        .findFirst();
  }

  private static Stream<String> value(String file, String name) {
    return lines(file)
        .filter(line -> line.startsWith(name) && line.indexOf(':') > 0)
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .limit(1);
  }

  private static Stream<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file)).stream();
    } catch (IOException absent) {
      return Stream.of();
    }
  }
}
