/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.Locale;
import org.elasticsearch.ElasticsearchParseException;
import org.elasticsearch.common.unit.ByteSizeValue;
import org.elasticsearch.monitor.jvm.JvmInfo;
import org.elasticsearch.monitor.os.OsProbe;

/**
 * How large the block cache of a node may be, and what users write for it.
 *
 * @param available bytes that the heap, fully grown, leaves of the memory this process may use: the
 *     container's limit where there is one; 0 where that is not known
 */
record CacheSize(long available) {

  /** Of the largest block size, so that what one accepts goes with every block size. */
  private static final long SMALLEST = 64L << 10;

  /** Beside the page cache, which has what does not fit, more is seldom better spent here. */
  private static final long LARGEST_DEFAULT = 1L << 30;

  private static final long SMALLEST_DEFAULT = 8L << 20;

  /** Where the memory is not known. */
  private static final long FALLBACK = 64L << 20;

  private static final int DEFAULT_PART = 8;

  static CacheSize ofThisProcess() {
    long memory = OsProbe.getInstance().getTotalPhysicalMemorySize();
    long heap = JvmInfo.jvmInfo().getMem().getHeapMax().getBytes();
    return new CacheSize(memory <= 0 ? 0 : Math.max(SMALLEST, memory - heap));
  }

  /** What a node has that is not told. */
  long defaultBytes() {
    if (available == 0) {
      return FALLBACK;
    }
    long part = Math.max(SMALLEST_DEFAULT, available / DEFAULT_PART);
    return Math.min(available, Math.min(LARGEST_DEFAULT, part));
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
    } catch (ElasticsearchParseException | IllegalArgumentException e) {
      throw refused(key, text, e);
    }
    if (bytes != 0 && (bytes < SMALLEST || (available > 0 && bytes > available))) {
      throw refused(key, text, null);
    }
    return bytes;
  }

  private long part(double percent) {
    if (available == 0) {
      throw new IllegalArgumentException("the memory of this machine is not known: give bytes");
    }
    // Not a number is neither.
    if (!(percent >= 0 && percent <= 100)) {
      throw new IllegalArgumentException("a percentage is from 0% to 100%");
    }
    return (long) (available * (percent / 100));
  }

  private IllegalArgumentException refused(String key, String text, Exception cause) {
    String range =
        available == 0
            ? "or a size of at least 64kb, such as 4gb"
            : String.format(
                Locale.ROOT,
                "a size from %d bytes (64kb) to %d bytes (%s), the memory that the heap (-Xmx)"
                    + " leaves, such as 4gb, or a percentage of that from 0%% to 100%%",
                SMALLEST,
                available,
                ByteSizeValue.ofBytes(available));
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
}
