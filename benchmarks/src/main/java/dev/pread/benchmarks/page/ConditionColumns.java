/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.List;
import java.util.Map;

/** The columns of a table that say under which conditions; what a line repeats is left pale. */
final class ConditionColumns {
  private final List<String> names;
  private final Html html;
  private Map<String, String> last = Map.of();

  ConditionColumns(Sheet sheet, Pivot pivot, Html html) {
    this.names = pivot.varying(sheet);
    this.html = html;
  }

  /** Their names, over some lines of the header. */
  void header(int lines) {
    for (String name : names.isEmpty() ? List.of("") : names) {
      html.element("th", name, "rowspan", Integer.toString(lines), "class", "name");
    }
  }

  /** Those of one line. */
  void cells(Map<String, String> conditions) {
    if (names.isEmpty()) {
      html.element("th", "all", "class", "name");
    }
    boolean repeats = true;
    for (String name : names) {
      String value = conditions.getOrDefault(name, "");
      repeats = repeats && value.equals(last.get(name));
      html.element("th", Words.value(name, value), "class", repeats ? "name again" : "name");
    }
    last = conditions;
  }
}
