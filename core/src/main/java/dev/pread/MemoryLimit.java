/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.lang.management.ManagementFactory;

/** Tells how much memory this process may use: the container's limit where there is one. */
final class MemoryLimit {

  /** The value of {@link #bytes} where the JVM does not know the limit. */
  static final long UNKNOWN = Long.MAX_VALUE;

  private MemoryLimit() {}

  /** Returns the limit in bytes, or {@link #UNKNOWN}. */
  static long bytes() {
    try {
      // The method is called by name, since its type is not part of Java itself. It knows of
      // cgroups, v1 and v2. It is not called through an MBean server: OpenSearch's agent fails on
      // the classes that the server makes for this.
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
