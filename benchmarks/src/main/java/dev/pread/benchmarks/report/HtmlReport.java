/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Run;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A run, or two runs compared, as one HTML file that needs no network: the figures are in it as
 * JSON, and so is the script that shows them ({@code page.js}, {@code plots.js}) with Chart.js,
 * which draws the plots. The browser runs these two scripts and nothing else, whatever a name in
 * the figures says.
 */
public final class HtmlReport {
  private static final String CHART_JS = "/META-INF/resources/webjars/chart.js/";
  private static final String CHART_JS_VERSION =
      "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  private HtmlReport() {}

  /** Writes the page of a run, complete or not. */
  public static void write(Run run, Path file) throws IOException {
    Files.writeString(file, page("run", model(run)));
  }

  /** Writes the page of two runs. */
  public static void write(ComparisonReport report, Path file) throws IOException {
    Files.writeString(file, page("comparison", report.model()));
  }

  private static String page(String kind, Map<String, Object> model) throws IOException {
    // "<" could end the script that holds the data.
    String json = new JsonMapper().writeValueAsString(Map.of(kind, model)).replace("<", "\\u003c");
    Properties properties = new Properties();
    properties.load(new StringReader(resource(CHART_JS_VERSION)));
    String version = properties.getProperty("version");
    String chart = resource(CHART_JS + version + "/dist/chart.umd.min.js");
    String script = resource("plots.js") + resource("page.js");
    return resource("page.html")
        .replace("{{hashes}}", "'" + hash(chart) + "' '" + hash(script) + "'")
        .replace("{{style}}", resource("page.css"))
        .replace("{{chart}}", chart)
        .replace("{{script}}", script)
        .replace("{{data}}", json); // The last, so that nothing in it is taken for a name.
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the jar has no " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String hash(String script) throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  private static Map<String, Object> model(Run run) {
    Ceilings ceilings = Ceilings.of(run);
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("Machine", Words.facts(run.about().machine()));
    facts.put("JVM", Words.facts(run.about().jvm()));
    facts.put("Storage", Words.facts(run.about().storage()));
    facts.put("Settings", Words.facts(run.about().settings()));
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("about", run.about());
    model.put("facts", facts);
    model.put("complete", run.complete());
    model.put("notes", run.notes());
    model.put("skipped", run.skipped());
    model.put("sheets", Sheet.of(run).stream().map(sheet -> model(sheet, ceilings)).toList());
    return model;
  }

  private static Map<String, Object> model(Sheet sheet, Ceilings ceilings) {
    List<Duel> losses = Score.losses(sheet.duels());
    Map<String, Map<String, Object>> words = new LinkedHashMap<>();
    sheet
        .values()
        .forEach(
            (name, values) -> {
              Map<String, Object> ofName = new LinkedHashMap<>();
              values.forEach(
                  value ->
                      ofName.put(
                          value, List.of(Words.value(name, value), Words.condition(name, value))));
              words.put(name, ofName);
            });
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("benchmark", sheet.benchmark());
    model.put("common", sheet.common());
    model.put("varying", sheet.varying());
    model.put("words", words);
    model.put("contenders", sheet.contenders());
    model.put("score", Score.of(sheet.duels()));
    model.put("scores", scores(sheet));
    model.put("worst", losses.isEmpty() ? "" : losses.get(0).sentence(sheet));
    model.put("figures", sheet.figures().stream().map(one -> model(one, ceilings)).toList());
    model.put("curves", sheet.curves());
    model.put(
        "curveConditions",
        sheet.inOrder(sheet.curves().stream().map(curve -> curve.conditions()).toList()));
    return model;
  }

  private static Map<String, Score> scores(Sheet sheet) {
    Map<String, List<Duel>> byOurs = new LinkedHashMap<>();
    for (Duel duel : sheet.duels()) {
      String name = duel.ours().cell().contender().name();
      byOurs.computeIfAbsent(name, unknown -> new ArrayList<>()).add(duel);
    }
    Map<String, Score> scores = new LinkedHashMap<>();
    byOurs.forEach((name, duels) -> scores.put(name, Score.of(duels)));
    if (scores.size() > 1) {
      scores.put("the best of ours in each", Score.of(Duel.bestOfOurs(sheet.duels())));
    }
    return scores;
  }

  private static Map<String, Object> model(Figures figures, Ceilings ceilings) {
    List<Object> most = new ArrayList<>();
    for (Map<String, String> where : figures.conditions()) {
      ceilings
          .share(figures.metric(), where)
          .ifPresent(one -> most.add(Map.of("conditions", where, "ceiling", one)));
    }
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("metric", figures.metric());
    model.put("title", Words.metric(figures.metric()) + Words.direction(figures.metric()));
    model.put("pivot", figures.pivot());
    model.put("pivotValues", figures.pivotValues());
    model.put("groups", figures.groups());
    model.put("contenders", figures.contenders());
    model.put(
        "cells",
        figures.all().stream()
            .map(
                one -> {
                  Map<String, Object> cell = model(one);
                  Estimate best = figures.best(one.cell().conditions(), null);
                  cell.put("best", one.equals(best));
                  return cell;
                })
            .toList());
    model.put("ceilings", most);
    model.put("duels", figures.duels().stream().map(HtmlReport::model).toList());
    return model;
  }

  static Map<String, Object> model(Estimate estimate) {
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("conditions", estimate.cell().conditions());
    model.put("contender", estimate.cell().contender().name());
    model.put("samples", estimate.cell().samples());
    model.put("median", estimate.median());
    model.put("mean", estimate.mean());
    model.put("half", estimate.half());
    return model;
  }

  private static Map<String, Object> model(Duel duel) {
    return Map.of(
        "conditions", duel.conditions(),
        "ours", duel.ours().cell().contender().name(),
        "other", duel.other().cell().contender().name(),
        "ratio", duel.ratio(),
        "outcome", duel.outcome());
  }
}
