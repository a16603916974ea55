/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.pread.benchmarks.policy.PolicyKind;
import dev.pread.benchmarks.trace.Simulation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Hit ratios of simulated caches: as a Markdown table, or as JSON with all counts. */
public final class HitTable {
  private final List<PolicyKind> policies;
  private final List<Simulation.Row> rows;

  /** Of rows that have the hits of these policies, in this order. */
  public HitTable(List<PolicyKind> policies, List<Simulation.Row> rows) {
    this.policies = List.copyOf(policies);
    this.rows = List.copyOf(rows);
  }

  /** One line per cache, hit ratios in percent. */
  public void print(PrintWriter out) {
    StringBuilder head = new StringBuilder("| trace | bypass | block | cache | blocks |");
    StringBuilder rule = new StringBuilder("|---|---|---|---|---|");
    for (PolicyKind policy : policies) {
      head.append(' ').append(policy.label()).append(" |");
      rule.append("---|");
    }
    out.println(head);
    out.println(rule);
    for (Simulation.Row row : rows) {
      StringBuilder line = new StringBuilder();
      line.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %s | %,d |",
              row.trace(),
              row.bypass().label(),
              row.blockSize(),
              row.cache().label(),
              row.capacity()));
      for (int i = 0; i < policies.size(); i++) {
        line.append(String.format(Locale.ROOT, " %.1f |", 100 * row.hitRatio(i)));
      }
      out.println(line);
    }
    out.flush();
  }

  /** Writes everything. */
  public void writeJson(Path file) throws IOException {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Simulation.Row row : rows) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("trace", row.trace());
      json.put("bypass", row.bypass().label());
      json.put("blockSize", row.blockSize());
      json.put("cache", row.cache().label());
      json.put("capacityBlocks", row.capacity());
      json.put("accesses", row.accesses());
      json.put("distinctBlocks", row.distinct());
      Map<String, Object> hits = new LinkedHashMap<>();
      Map<String, Object> ratios = new LinkedHashMap<>();
      for (int i = 0; i < policies.size(); i++) {
        hits.put(policies.get(i).label(), row.hits().get(i));
        ratios.put(policies.get(i).label(), row.hitRatio(i));
      }
      json.put("hits", hits);
      json.put("hitRatios", ratios);
      all.add(json);
    }
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("policies", policies.stream().map(PolicyKind::label).toList());
    root.put("results", all);
    Files.write(
        file,
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(root));
  }
}
