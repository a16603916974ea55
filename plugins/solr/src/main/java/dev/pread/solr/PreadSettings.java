/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import dev.pread.plugin.CacheSize;
import dev.pread.plugin.NodeSettings;
import dev.pread.plugin.Sizes;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node is told by system properties, {@code SOLR_OPTS="-Dpread.cache.size=4gb"}: the names
 * and values are those of the settings of the other servers, see {@link NodeSettings}.
 */
final class PreadSettings {

  private static final Logger LOGGER = LoggerFactory.getLogger(PreadSettings.class);
  private static final Pattern SIZE = Pattern.compile("(\\d{1,18})\\s*([kmgt]?b)?");
  private static final String UNITS = "bkmgt";
  private static final int KIBI_BITS = 10;

  private static final Sizes SIZES = new Sizes(PreadSettings::bytes, PreadSettings::print);

  private PreadSettings() {}

  /**
   * Returns what the properties say.
   *
   * @throws IllegalArgumentException naming the property and what is allowed
   */
  static NodeSettings settings() {
    return NodeSettings.of(System::getProperty, memory());
  }

  /** Returns the memory of this process, which is that of its container where it has a limit. */
  static CacheSize memory() {
    return new CacheSize(totalMemory(), Runtime.getRuntime().maxMemory(), SIZES);
  }

  /** Asks the bean by name, since its type is not on every Java platform; 0 where it is not. */
  private static long totalMemory() {
    try {
      ObjectName system = ObjectName.getInstance(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME);
      return (long)
          ManagementFactory.getPlatformMBeanServer().getAttribute(system, "TotalMemorySize");
    } catch (JMException e) {
      LOGGER.info("pread: the memory of this machine is not known", e);
      return 0;
    }
  }

  private static long bytes(String text, String key) {
    Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new IllegalArgumentException(
          "[" + key + "] is a number of bytes, or a size such as 512mb and 4gb");
    }
    String unit = size.group(2);
    long factor = 1L << (KIBI_BITS * (unit == null ? 0 : UNITS.indexOf(unit.charAt(0))));
    return Math.multiplyExact(Long.parseLong(size.group(1)), factor);
  }

  private static String print(long bytes) {
    int power = 0;
    while (power < UNITS.length() - 1 && bytes >= 1L << (KIBI_BITS * (power + 1))) {
      power++;
    }
    double count = (double) bytes / (1L << (KIBI_BITS * power));
    String digits =
        count == Math.rint(count)
            ? String.valueOf((long) count)
            : String.format(Locale.ROOT, "%.1f", count);
    return digits + (power == 0 ? "b" : UNITS.charAt(power) + "b");
  }
}
