/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.util.Locale;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.monitor.os.OsProbe;

/**
 * How large the block cache of a node may be, and what users write for it.
 *
 * @param limit bytes of memory that this process may use: the container's limit where there is one,
 *     else the machine's memory; 0 where that is not known
 * @param heap bytes of the heap, fully grown
 */
record CacheSize(long limit, long heap) {

  /**
   * Bytes that users are advised to leave beside heap and cache: for the JVM itself, the buffers of
   * the network, and the page cache of what is written. More than was measured, on purpose.
   */
  static final long ADVISED = 512L << 20;

  /**
   * Bytes that a server was measured to need there, of which it took 245 MiB to 308 MiB. A cache
   * that leaves less gets the server killed sooner or later, so it is refused.
   */
  static final long NEEDED = 320L << 20;

  /** So that it is at least one block, however large the blocks are. */
  private static final long SMALLEST = 64L << 10;

  /** What the default is at least, and at most: as that of a directory without a server. */
  private static final long SMALLEST_DEFAULT = 8L << 20;

  private static final long LARGEST_DEFAULT = 1L << 30;

  /** Where the memory is not known. */
  private static final long FALLBACK = 64L << 20;

  private static final int DEFAULT_PART = 8;
  private static final int ALL = 100;

  static CacheSize ofThisProcess() {
    // It knows of cgroups, v1 and v2, as the JVM does.
    return new CacheSize(
        OsProbe.getInstance().getTotalPhysicalMemorySize(), Runtime.getRuntime().maxMemory());
  }

  private boolean isKnown() {
    return limit > 0;
  }

  /** Bytes of which users write percentages; never so few that the least default does not fit. */
  private long besideHeap() {
    return Math.max(SMALLEST_DEFAULT, limit - heap);
  }

  /** Bytes it may have at most. */
  private long largest() {
    return isKnown() ? Math.max(SMALLEST_DEFAULT, besideHeap() - NEEDED) : Long.MAX_VALUE;
  }

  /** Bytes of a node that is not told. */
  long defaultBytes() {
    if (!isKnown()) {
      return FALLBACK;
    }
    long part = Math.max(SMALLEST_DEFAULT, besideHeap() / DEFAULT_PART);
    return Math.min(largest(), Math.min(LARGEST_DEFAULT, part));
  }

  /**
   * Bytes of what a user wrote.
   *
   * @param key of the setting, for the message
   * @param text {@code 4gb}, {@code 50%} or 0
   * @throws IllegalArgumentException naming the allowed range, if it is not in it
   */
  long parse(String key, String text) {
    String trimmed = text.trim();
    long bytes;
    try {
      bytes =
          trimmed.endsWith("%")
              ? part(Double.parseDouble(trimmed.substring(0, trimmed.length() - 1)))
              : ByteSizeValue.parseBytesSizeValue(trimmed, key).getBytes();
    } catch (RuntimeException e) {
      throw refused(key, text, e);
    }
    if (bytes != 0 && (bytes < SMALLEST || bytes > largest())) {
      throw refused(key, text, null);
    }
    return bytes;
  }

  private long part(double percent) {
    if (!isKnown()) {
      throw new IllegalArgumentException("the memory of this machine is not known: give bytes");
    }
    // Not a number is neither.
    if (!(percent >= 0 && percent < ALL)) {
      throw new IllegalArgumentException("a percentage is from 0% to less than 100%");
    }
    return (long) (besideHeap() * (percent / ALL));
  }

  private IllegalArgumentException refused(String key, String text, Exception cause) {
    String range =
        isKnown()
            ? String.format(
                Locale.ROOT,
                "a size from %d bytes (64kb) to %d bytes (%s), or a percentage from 0%% to %d%% of"
                    + " the %s that the heap (-Xmx) leaves of the memory; beside both a server"
                    + " needs %s, and %s or more are advised",
                SMALLEST,
                largest(),
                new ByteSizeValue(largest()),
                Math.min(ALL - 1, ALL * largest() / besideHeap()),
                new ByteSizeValue(besideHeap()),
                new ByteSizeValue(NEEDED),
                new ByteSizeValue(ADVISED))
            : String.format(
                Locale.ROOT, "or a size of at least %d bytes (64kb), such as 4gb", SMALLEST);
    return new IllegalArgumentException(
        "failed to parse value ["
            + text
            + "] for setting ["
            + key
            + "]: use 0 for no cache, "
            + range
            + (cause == null ? "" : " (" + cause.getMessage() + ")"),
        cause);
  }

  /**
   * Where the memory goes with a cache of that size, for the log.
   *
   * @param cache bytes
   */
  String shares(long cache) {
    if (!isKnown()) {
      return "the memory limit is not known";
    }
    return String.format(
        Locale.ROOT,
        "of a memory limit of [%s] the heap [%s] and the cache leave [%s] to the JVM itself and the"
            + " page cache; [%s] or more are advised",
        new ByteSizeValue(limit),
        new ByteSizeValue(heap),
        new ByteSizeValue(Math.max(0, limit - heap - cache)),
        new ByteSizeValue(ADVISED));
  }
}
