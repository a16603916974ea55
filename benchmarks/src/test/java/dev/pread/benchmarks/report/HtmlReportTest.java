/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a file, and what a headless Chromium without a network makes of it. */
final class HtmlReportTest {
  private static final String HOSTILE =
      "</script><script>document.title='gone'</script>{{script}}\"&]]>\u0000\u001b[31m\u202e";

  @TempDir private Path folder;

  private Path page(Run run) throws Exception {
    Path file = folder.resolve("page.html");
    HtmlReport.write(run, file);
    return file;
  }

  @Test
  void readsAreShownAsAShareOfTheirCeiling() throws Exception {
    Metric reads = Metric.throughput("reads/ms");
    Metric ops = Metric.throughput("ops/ms");
    Contender fio = Contender.ceiling("fio");
    Run run =
        SyntheticRuns.of(
            new Cell("ceiling", ceiling("device"), fio, reads, List.of(160.0)),
            new Cell("ceiling", ceiling("memcpy"), fio, reads, List.of(3200.0)),
            new Cell("grid", read("exceeds"), Contender.ours("pread"), ops, List.of(5.0)),
            new Cell("grid", read("fits"), Contender.ours("pread"), ops, List.of(50.0)),
            new Cell("grid", read("limit"), Contender.ours("pread"), ops, List.of(9.0)));
    String page = Files.readString(page(run));
    assertFalse(page.contains("src=") || page.contains("@import"), "something is loaded");
    String json = page.split("id=\"data\">", -1)[1].split("</script>", -1)[0];
    JsonNode figures = new ObjectMapper().readTree(json).at("/sheets/1/figures/0");
    assertEquals("[5.0]", figures.at("/cells/0/samples").toString());
    assertEquals(
        List.of("device 10.0", "memcpy 200.0"),
        StreamSupport.stream(figures.get("ceilings").spliterator(), false)
            .map(one -> one.get("of").asText() + " " + one.get("most").asDouble())
            .toList());
  }

  private static Map<String, String> ceiling(String of) {
    return Map.of("of", of, "order", "random", "bytes", "4096", "depth", "4");
  }

  private static Map<String, String> read(String regime) {
    return Map.of("regime", regime, "bytes", "4096", "threads", "4");
  }

  @Test
  void aBrowserShowsItWithoutANetwork() throws Exception {
    String shown = dom(SyntheticRuns.full(false));
    for (String text : List.of("INTERRUPTED", "distribution", " % of device", "lose", "<canvas")) {
      assertTrue(shown.contains(text), text);
    }
    assertTrue(dom(SyntheticRuns.of()).contains("Nothing"));
    Metric metric = new Metric(HOSTILE, HOSTILE, Metric.Better.HIGHER, true);
    Cell cell = SyntheticRuns.cell(HOSTILE, Contender.ours(HOSTILE), metric, 1e300, 1e-300);
    String text = dom(SyntheticRuns.of(cell));
    assertTrue(text.contains("&lt;script&gt;document.title"), text);
    assertFalse(text.contains("<script>document.title") || text.contains("\u202e"), text);
  }

  /** What the page's script has made in a headless browser, without the scripts and the data. */
  private String dom(Run run) throws Exception {
    Optional<Path> chromium =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(path -> Path.of(path, "chromium"))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(chromium.isPresent(), "no Chromium on the PATH");
    Path out = folder.resolve("browser.out");
    Path log = folder.resolve("browser.log");
    Process browser =
        new ProcessBuilder(
                chromium.get().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--enable-logging=stderr",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1300,8000",
                "--dump-dom",
                page(run).toUri().toString())
            .redirectError(log.toFile())
            .redirectOutput(out.toFile())
            .start();
    try {
      assertTrue(browser.waitFor(120, TimeUnit.SECONDS), "the browser did not end");
    } finally {
      browser.descendants().forEach(ProcessHandle::destroyForcibly);
      browser.destroyForcibly().waitFor();
    }
    List<String> complaints =
        Files.readAllLines(log).stream().filter(line -> line.contains("CONSOLE")).toList();
    assertEquals(List.of(), complaints);
    String html = Files.readString(out);
    return html.substring(html.indexOf("<main>"), html.indexOf("</main>"));
  }
}
