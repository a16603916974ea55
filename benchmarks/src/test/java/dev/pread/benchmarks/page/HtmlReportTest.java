/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** What is on the page; {@link BrowserTest} has how it looks. */
final class HtmlReportTest {
  private static final String HOSTILE = "<script>alert('1')</script>\"&]]>\u0000\u001b[31m\u202e";

  private static String full;

  @TempDir private Path folder;

  @BeforeAll
  static void drawn() throws Exception {
    full = page(SyntheticRuns.full(1));
  }

  private static String page(Run run) throws Exception {
    return HtmlReport.page(run, Drawings.Drawing::svg);
  }

  private static Document parsed(String page) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
  }

  private static List<Element> all(Document document, String tag) {
    NodeList nodes = document.getElementsByTagName(tag);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  @Test
  void aFullRunIsWellFormedAndSelfContained() throws Exception {
    Path file = folder.resolve("page.html");
    HtmlReport.write(SyntheticRuns.full(1), file);
    String page = Files.readString(file, StandardCharsets.UTF_8);
    assertEquals(full, page, "the same run gives the same page");
    assertTrue(page.length() < 4_000_000, page.length() + " characters");
    Document document = parsed(page);
    assertEquals(
        List.of("ceiling", "grid", "workloads", "streams", "native"),
        all(document, "section").stream()
            .map(section -> section.getElementsByTagName("h2").item(0).getTextContent())
            .toList());
    Set<String> ids = new HashSet<>();
    for (Element element : all(document, "*")) {
      NamedNodeMap attributes = element.getAttributes();
      for (int i = 0; i < attributes.getLength(); i++) {
        String name = attributes.item(i).getNodeName();
        String value = attributes.item(i).getNodeValue();
        assertTrue(name.startsWith("xmlns") || !value.contains("://"), name + "=" + value);
        assertFalse(name.startsWith("on") || name.equals("src"), name + "=" + value);
        assertFalse(value.contains("url("), name + "=" + value);
        assertTrue(!name.equals("id") || ids.add(value), "twice: " + value);
        assertTrue(!name.equals("href") || value.startsWith("#b"), value);
      }
    }
    assertTrue(all(document, "script").isEmpty());
    assertFalse(page.contains("@import") || page.contains("url("));
  }

  @Test
  void plotsHaveRealTextAndScale() throws Exception {
    Document document = parsed(full);
    List<Element> figures = all(document, "figure");
    assertTrue(figures.size() >= 16 + 9 + 4 + 5, figures.size() + " plots");
    for (Element figure : figures) {
      Element svg = (Element) figure.getElementsByTagName("svg").item(0);
      assertTrue(svg.getAttribute("viewBox").matches("0 0 \\d+ \\d+"));
      assertEquals("", svg.getAttribute("width"));
      assertTrue(svg.getElementsByTagName("text").getLength() > 3);
      assertTrue(svg.getElementsByTagName("polyline").getLength() > 0);
      String box = svg.getAttribute("viewBox");
      double width = Double.parseDouble(box.split(" ", -1)[2]);
      NodeList lines = svg.getElementsByTagName("polyline");
      for (int i = 0; i < lines.getLength(); i++) {
        for (String point : ((Element) lines.item(i)).getAttribute("points").split(" ", -1)) {
          double x = Double.parseDouble(point.split(",", -1)[0]);
          assertTrue(x >= 0 && x <= width, point);
        }
      }
    }
  }

  @Test
  void aContenderHasOneColour() {
    Run run = SyntheticRuns.full(1);
    Palette palette = Palette.of(Sheet.of(run));
    Palette.Look pread = palette.look(Contender.ours("pread"));
    Palette.Look mmap = palette.look(Contender.other("mmap"));
    assertTrue(pread.width() > mmap.width());
    assertFalse(palette.look(Contender.ceiling("memcpy")).dashes().isEmpty());
    String rgb = "stroke:rgb(0,96,173)";
    assertEquals("#0060ad", pread.color());
    assertTrue(full.contains(rgb));
  }

  @Test
  void hostileTextStaysText() throws Exception {
    Metric metric = new Metric(HOSTILE, HOSTILE, Metric.Better.HIGHER, true);
    Map<String, String> conditions = SyntheticRuns.conditions(HOSTILE, HOSTILE, "threads", "1");
    Map<String, String> more = SyntheticRuns.conditions(HOSTILE, HOSTILE, "threads", "2");
    Run base = new SyntheticRuns(1, 3).run();
    List<Cell> cells = new ArrayList<>();
    for (Contender contender :
        List.of(Contender.ours(HOSTILE), Contender.other(HOSTILE), Contender.ceiling(HOSTILE))) {
      cells.add(new Cell(HOSTILE, conditions, contender, metric, List.of(1.0, 2.0)));
      cells.add(new Cell(HOSTILE, more, contender, metric, List.of(1.0, 2.0)));
    }
    Curve.Axes axes = new Curve.Axes(HOSTILE, HOSTILE, HOSTILE, Curve.Scale.LOG_Y);
    List<Curve> curves =
        List.of(
            new Curve(
                HOSTILE,
                conditions,
                Contender.ours(HOSTILE),
                axes,
                List.of(new Curve.Point(1, 2), new Curve.Point(2, Double.NaN))));
    Run.About about =
        new Run.About(
            HOSTILE,
            HOSTILE,
            HOSTILE,
            Map.of(HOSTILE, HOSTILE),
            base.about().jvm(),
            Map.of(HOSTILE, List.of(HOSTILE)),
            Map.of(HOSTILE, Map.of(HOSTILE, HOSTILE)));
    Run run =
        new Run(
            Run.FORMAT,
            about,
            false,
            List.of(HOSTILE),
            List.of(new Run.Skipped(HOSTILE, HOSTILE)),
            cells,
            curves);
    for (String page :
        List.of(
            page(run),
            new ComparisonReport(
                    new ComparisonReport.Named(HOSTILE, run),
                    new ComparisonReport.Named("b", new SyntheticRuns(1, 3).streams().run()))
                .page())) {
      assertTrue(all(parsed(page), "script").isEmpty());
      assertFalse(page.contains("<script") || page.contains("\u0000") || page.contains("\u001b"));
      assertTrue(page.contains("&lt;script&gt;alert(&#39;1&#39;)"));
    }
    assertFalse(all(parsed(page(run)), "figure").isEmpty());
  }

  @Test
  void anInterruptedRunSaysSo() throws Exception {
    String page = page(new SyntheticRuns(1, 3).streams().stopped().run());
    assertTrue(page.contains("INTERRUPTED"));
    assertTrue(page.contains("io_uring") && page.contains("install the distribution"));
    String empty = page(new SyntheticRuns(1, 3).stopped().run());
    assertTrue(
        parsed(empty).getDocumentElement().getTextContent().contains("Nothing was measured"));
  }

  @Test
  void withoutGraphicsThereIsAPageThatSaysWhy() throws Exception {
    Drawings.Studio bare =
        drawing -> {
          throw new InternalError("Fontconfig head is null, check your fonts");
        };
    String page = HtmlReport.page(new SyntheticRuns(1, 3).grid().run(), bare);
    Document document = parsed(page);
    assertTrue(all(document, "figure").isEmpty());
    assertTrue(page.contains("Fontconfig head is null") && page.contains("fonts-dejavu-core"));
    assertTrue(page.contains("cells won"));
  }

  @Test
  void figuresNoAxisCanShowCostAPlotAndNoPage() throws Exception {
    Map<String, String> none = Map.of();
    Metric rate = Metric.throughput("x");
    Run run =
        DuelTest.run(
            new Cell("b", none, Contender.ours("pread"), rate, List.of(1e300, 1e308)),
            new Cell("b", none, Contender.other("mmap"), rate, List.of(1e-300, -1e-308, 0.0)),
            new Cell("c", none, Contender.ours("pread"), rate, List.of(0.0)),
            new Cell("c", none, Contender.other("mmap"), rate, List.of(0.0)));
    String page = page(run);
    parsed(page);
    assertTrue(page.contains("plots are left out"));
  }

  @Test
  void readsAreShownAsAShareOfTheirCeiling() throws Exception {
    SyntheticRuns runs = new SyntheticRuns(1, 1);
    Metric reads = Metric.throughput("reads/ms");
    Metric ops = Metric.throughput("ops/ms");
    Contender fio = Contender.ceiling("fio");
    Run run =
        runs.add("ceiling", ceiling("device"), fio, reads, 160)
            .add("ceiling", ceiling("memcpy"), fio, reads, 3200)
            .add("grid", read("exceeds"), Contender.ours("pread"), ops, 5)
            .add("grid", read("fits"), Contender.ours("pread"), ops, 50)
            .add("grid", read("limit"), Contender.ours("pread"), ops, 9)
            .run();
    Sheet grid = Sheet.of(run).get(1);
    double exceeds = grid.estimate(ops, read("exceeds"), Contender.ours("pread")).median();
    double device = Sheet.of(run).get(0).estimate(reads, ceiling("device"), fio).median();
    String page = page(run);
    assertTrue(page.contains(Words.percent(exceeds * 16 / device) + " of device"), page);
    assertTrue(page.contains(" of memcpy"));
    assertEquals(2, page.split("</b><small>|</span><small>", -1).length - 1);
  }

  private static Map<String, String> ceiling(String of) {
    String engine = of.equals("device") ? "psync" : "copy";
    return SyntheticRuns.conditions(
        "of", of, "order", "random", "bytes", 4096, "engine", engine, "depth", 4);
  }

  private static Map<String, String> read(String regime) {
    return SyntheticRuns.conditions(
        "regime", regime, "order", "random", "bytes", 4096, "threads", 4);
  }
}
