/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.lang.management.ManagementFactory;

/** How much memory this process may use: the container's limit where there is one. */
final class MemoryLimit {

  /** What {@link #bytes} is where the JVM does not know. */
  static final long UNKNOWN = Long.MAX_VALUE;

  private MemoryLimit() {}

  /** Returns bytes, or {@link #UNKNOWN}. */
  static long bytes() {
    try {
      // By name, since its type is not part of Java itself. It knows of cgroups, v1 and v2. Not by
      // way of an MBean server: OpenSearch's agent fails at the classes that makes to get there.
      Object total =
          Class.forName("com.sun.management.OperatingSystemMXBean")
              .getMethod("getTotalMemorySize")
              .invoke(ManagementFactory.getOperatingSystemMXBean());
      return total instanceof Long bytes && bytes > 0 ? bytes : UNKNOWN;
    } catch (ReflectiveOperationException | IllegalArgumentException | SecurityException e) {
      return UNKNOWN;
    }
  }
}
