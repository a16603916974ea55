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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Shows a run as one HTML file that needs no network: the figures are in it as JSON, and so is the script that shows them ({@code page.js}, {@code plots.js}) with Chart.js,
 * which draws the plots. The browser runs these two scripts and nothing else, whatever a name in
 * the figures says.
 */
public final class HtmlReport {
  private static final String CHART_JS = "/META-INF/resources/webjars/chart.js/";
  private static final String CHART_JS_VERSION =
      "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  /** What the page shows of a run. */
  private record Page(
      Map<String, String> about,
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

  /** Writes the page of a run, complete or not. */
  public static void write(Run run, Path file) throws IOException {
    Map<String, String> about = Words.facts(run.about());
    List<Sheet> sheets = Sheet.of(run);
    Page page = new Page(about, run.complete(), run.notes(), run.skipped(), sheets);
    // "<" could end the script that holds the data.
    JsonMapper mapper = JsonMapper.builder().addMixIn(Cell.class, ShownCell.class).build();
    String json = mapper.writeValueAsString(page).replace("<", "\\u003c");
    Properties properties = new Properties();
    try (InputStream in = open(CHART_JS_VERSION)) {
      properties.load(in);
    }
    String chart =
        resource(CHART_JS + properties.getProperty("version") + "/dist/chart.umd.min.js");
    String script = resource("plots.js") + resource("page.js");
    Files.writeString(
        file,
        resource("page.html")
            .replace("{{hashes}}", "'" + hash(chart) + "' '" + hash(script) + "'")
            .replace("{{style}}", resource("page.css"))
            .replace("{{chart}}", chart)
            .replace("{{script}}", script)
            .replace("{{data}}", json)); // The last, so that nothing in it is taken for a name.
  }

  private static InputStream open(String name) throws IOException {
    InputStream in = HtmlReport.class.getResourceAsStream(name);
    if (in == null) {
      throw new IOException("the jar has no " + name);
    }
    return in;
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = open(name)) {
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
}
