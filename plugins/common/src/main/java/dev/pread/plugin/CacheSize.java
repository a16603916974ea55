/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.BlockCache;
import java.util.Locale;

/**
 * How large the block cache of a node may be if it is not left to itself, and what users write for
 * it.
 *
 * @param limit bytes of memory that this process may use: the container's limit where there is one,
 *     else the machine's memory; 0 where that is not known
 * @param heap bytes of the heap, fully grown
 * @param sizes how the server reads and writes them
 */
public record CacheSize(long limit, long heap, Sizes sizes) {

  /** What users write for an elastic cache, and the default. */
  static final String AUTO = "auto";

  /** What users write for a cache that may have all there is, and the default. */
  static final String NONE = "none";

  /**
   * Bytes that users are advised to leave beside heap and cache: for the JVM itself, the buffers of
   * the network, and the page cache of what is written. This is more than was measured, on purpose.
   */
  public static final long ADVISED_BYTES = 512L << 20;

  /**
   * Bytes that a server was measured to need there, of which it took 245 MiB to 356 MiB. A cache
   * that leaves less gets the server killed sooner or later, so it is refused.
   */
  static final long NEEDED_BYTES = 384L << 20;

  /**
   * What users may have however little memory there is: as much as an elastic cache has then, which
   * is the default of {@link BlockCache.Builder#min}.
   */
  private static final long ALWAYS_ALLOWED = 8L << 20;

  private static final int HUNDRED_PERCENT = 100;

  private static final String UNKNOWN = "the memory limit is not known";

  private boolean isKnown() {
    return limit > 0;
  }

  /** Returns what users write percentages of; never so little that none can be had. */
  private long besideHeap() {
    return Math.max(ALWAYS_ALLOWED, limit - heap);
  }

  /** Returns how many bytes it may have at most. */
  private long largest() {
    return isKnown() ? Math.max(ALWAYS_ALLOWED, besideHeap() - NEEDED_BYTES) : Long.MAX_VALUE;
  }

  /**
   * Returns the bytes of what a user wrote, or {@link NodeSettings#AUTO}. Whether they are enough
   * for a block is found out when the node's {@link NodeDirectories} are made.
   *
   * @param text {@code auto}, {@code 4gb}, {@code 50%} or 0
   * @throws IllegalArgumentException naming what is allowed, if it is not that
   */
  long parse(String text) {
    String trimmed = text.trim();
    if (trimmed.equalsIgnoreCase(AUTO)) {
      return NodeSettings.AUTO;
    }
    try {
      long bytes = bytes(trimmed, NodeSettings.CACHE_SIZE);
      // This refuses what no cache has. It comes first, since -1 would be auto.
      BlockCache.builder().size(bytes);
      if (bytes <= largest()) {
        return bytes;
      }
    } catch (RuntimeException e) {
      throw refused(text, e);
    }
    throw refused(text, null);
  }

  /**
   * Returns how many bytes a user lets a cache that adapts have at most, or {@link
   * NodeSettings#NO_MAX}. Whether they are enough for a block is found out when the node's {@link
   * NodeDirectories} are made.
   *
   * @param text {@code none}, {@code 4gb} or {@code 50%}
   * @throws IllegalArgumentException naming what is allowed, if it is not that
   */
  long parseMax(String text) {
    String trimmed = text.trim();
    if (trimmed.equalsIgnoreCase(NONE)) {
      return NodeSettings.NO_MAX;
    }
    try {
      long bytes = bytes(trimmed, NodeSettings.CACHE_MAX);
      if (bytes > 0) {
        return bytes;
      }
    } catch (RuntimeException e) {
      throw refusedMax(text, e.getMessage(), e);
    }
    throw refusedMax(text, "it leaves no cache", null);
  }

  private long bytes(String text, NodeSettings.Key<?> key) {
    return text.endsWith("%")
        ? part(Double.parseDouble(text.substring(0, text.length() - 1)))
        : sizes.parse(text, key.name());
  }

  private long part(double percent) {
    if (!isKnown()) {
      throw new IllegalArgumentException("the memory of this machine is not known: give bytes");
    }
    // A NaN is neither.
    if (!(percent >= 0 && percent < HUNDRED_PERCENT)) {
      throw new IllegalArgumentException("a percentage is from 0% to less than 100%");
    }
    return (long) (besideHeap() * (percent / HUNDRED_PERCENT));
  }

  /**
   * Refuses it with all that is allowed.
   *
   * @param cause why, or null if it is too much for this server
   */
  IllegalArgumentException refused(String text, Exception cause) {
    String range =
        isKnown()
            ? String.format(
                Locale.ROOT,
                "a size from one block to %d bytes (%s), or a percentage from 0%% to %d%% of the %s"
                    + " that the heap (-Xmx) leaves of the memory; beside both a server needs %s,"
                    + " and %s or more are advised",
                largest(),
                sizes.print(largest()),
                Math.min(HUNDRED_PERCENT - 1, HUNDRED_PERCENT * largest() / besideHeap()),
                sizes.print(besideHeap()),
                sizes.print(NEEDED_BYTES),
                sizes.print(ADVISED_BYTES))
            : "or a size of at least one block, such as 4gb";
    String reason = cause == null ? "" : " (" + cause.getMessage() + ")";
    return NodeSettings.refused(
        NodeSettings.CACHE_SIZE, text, "use auto, 0 for no cache, " + range + reason, cause);
  }

  /**
   * Refuses it with all that is allowed.
   *
   * @param reason what is wrong with it
   * @param cause what has found that out, or null
   */
  IllegalArgumentException refusedMax(String text, String reason, Exception cause) {
    return NodeSettings.refused(
        NodeSettings.CACHE_MAX,
        text,
        "use none, a size of at least one block, such as 4gb, or a percentage of the memory that"
            + " the heap (-Xmx) leaves, such as 50%; for no cache, set ["
            + NodeSettings.CACHE_SIZE.name()
            + "] to 0 ("
            + reason
            + ")",
        cause);
  }

  /** Tells where the memory goes with an elastic cache, for the log. */
  String elasticShares() {
    if (!isKnown()) {
      return UNKNOWN;
    }
    return String.format(
        Locale.ROOT,
        "of a memory limit of [%s] the heap has [%s] to itself, and the cache takes what nobody else"
            + " wants",
        sizes.print(limit),
        sizes.print(heap));
  }

  /**
   * Tells where the memory goes with a cache of that size, for the log.
   *
   * @param cache bytes
   */
  String shares(long cache) {
    if (!isKnown()) {
      return UNKNOWN;
    }
    return String.format(
        Locale.ROOT,
        "of a memory limit of [%s] the heap [%s] and the cache leave [%s] to the JVM itself and the"
            + " page cache; [%s] or more are advised",
        sizes.print(limit),
        sizes.print(heap),
        sizes.print(Math.max(0, limit - heap - cache)),
        sizes.print(ADVISED_BYTES));
  }
}
