/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;

/** Tells how much of the system this process may use, as far as the JVM knows. */
public final class ProcessLimits {

  /** The value of a limit that the JVM does not know. */
  public static final long UNKNOWN = Long.MAX_VALUE;

  private ProcessLimits() {}

  /**
   * Returns how many bytes of memory this process may use, or {@link #UNKNOWN}: in a container its
   * limit, by cgroups of version 1 or 2.
   */
  public static long memory() {
    return ask("OperatingSystemMXBean", "getTotalMemorySize");
  }

  /** Returns how many descriptors this process may have open, or {@link #UNKNOWN}. */
  static long descriptors() {
    return ask("UnixOperatingSystemMXBean", "getMaxFileDescriptorCount");
  }

  /**
   * Returns how many bytes all direct buffers may have together: where nothing else was set, as
   * many as the heap.
   */
  public static long directMemory() {
    long heap = Runtime.getRuntime().maxMemory();
    try {
      Class<? extends PlatformManagedObject> type =
          Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
              .asSubclass(PlatformManagedObject.class);
      Object option =
          type.getMethod("getVMOption", String.class)
              .invoke(ManagementFactory.getPlatformMXBean(type), "MaxDirectMemorySize");
      Object bytes = option.getClass().getMethod("getValue").invoke(option);
      long set = Long.parseLong(bytes.toString());
      return set > 0 ? set : heap;
    } catch (ReflectiveOperationException
        | IllegalArgumentException
        | SecurityException
        | LinkageError e) {
      return heap;
    }
  }

  /**
   * Calls a method by its name, since its type is not part of Java itself. It is not called through
   * an MBean server: OpenSearch's agent fails on the classes that the server makes for this.
   */
  private static long ask(String type, String method) {
    try {
      Object limit =
          Class.forName("com.sun.management." + type)
              .getMethod(method)
              .invoke(ManagementFactory.getOperatingSystemMXBean());
      return limit instanceof Long number && number > 0 ? number : UNKNOWN;
    } catch (ReflectiveOperationException
        | IllegalArgumentException
        | SecurityException
        | LinkageError e) {
      // A small runtime may have left out what would tell.
      return UNKNOWN;
    }
  }
}
