/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Shows a run as one HTML file that needs no network: the figures are in it as JSON, and so is the
 * script that shows them ({@code page.js}, {@code plots.js}) with Chart.js, which draws the plots.
 * The browser runs these and nothing else, whatever a name in the figures says.
 */
public final class HtmlReport {
  private static final String CHART_JS = "/META-INF/resources/webjars/chart.js/";

  private record Page(
      Run.About about,
      boolean complete,
      List<String> notes,
      List<Run.Skipped> skipped,
      List<Sheet> sheets) {}

  /** A cell without what is the same in all cells of a list, which the page has once. */
  @JsonIgnoreProperties({"benchmark", "metric"})
  private interface ShownCell {
    @JsonProperty
    double median();

    @JsonProperty
    double mean();

    @JsonProperty
    double half();
  }

  private HtmlReport() {}

  public static void write(Run run, Path file) throws IOException {
    Page page = new Page(run.about(), run.complete(), run.notes(), run.skipped(), Sheet.of(run));
    JsonMapper mapper = JsonMapper.builder().addMixIn(Cell.class, ShownCell.class).build();
    // "<" could end the script that holds the data.
    String json = mapper.writeValueAsString(page).replace("<", "\\u003c");
    String version =
        resource("/META-INF/maven/org.webjars.npm/chart.js/pom.properties")
            .replaceAll("(?s).*\\bversion=(\\S+).*", "$1");
    Files.writeString(
        file,
        resource("page.html")
            .replace("{{nonce}}", UUID.randomUUID().toString())
            .replace("{{style}}", resource("page.css"))
            .replace("{{chart}}", resource(CHART_JS + version + "/dist/chart.umd.min.js"))
            .replace("{{script}}", resource("plots.js") + resource("page.js"))
            .replace("{{data}}", json)); // The last, so that nothing in it is taken for a name.
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
