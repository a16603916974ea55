/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a file, and what a headless Chromium without a network makes of it. */
final class HtmlReportTest {
  private static final String HOSTILE =
      "</script><script>document.title='gone'</script>{{script}}\"&]]>\u0000\u001b[31m\u202e";

  /** The colour of heat maps where ours lose by a lot. */
  private static final int LOST = 0xB85806;

  /** The second of ours, whose colour nothing but plots and legends has. */
  private static final int DIRECT = 0xC4006E;

  @TempDir private Path folder;

  private Path page(Run run) throws Exception {
    Path file = folder.resolve("page.html");
    HtmlReport.write(run, file);
    return file;
  }

  @Test
  void nothingIsLoadedAndNoOtherScriptRuns() throws Exception {
    String page = Files.readString(page(SyntheticRuns.full(true)));
    assertFalse(page.contains("src=") || page.contains("@import"), "something is loaded");
    assertTrue(page.contains("script-src 'nonce-"), "any script may run");
  }

  @Test
  @Tag("ci")
  void aBrowserShowsItWithoutANetwork() throws Exception {
    Path full = page(SyntheticRuns.full(false));
    // Whatever the desktop of whoever runs this prefers.
    BufferedImage picture = screenshot(full, "--blink-settings=preferredColorScheme=1");
    assertEquals(0xFFFFFF, picture.getRGB(1, 1) & 0xFFFFFF);
    assertTrue(count(picture, DIRECT) > 500, count(picture, DIRECT) + " dots of a line");
    assertTrue(count(picture, LOST) > 5000, count(picture, LOST) + " dots of lost cells");
    BufferedImage dark = screenshot(full, "--blink-settings=preferredColorScheme=0");
    assertTrue(new Color(dark.getRGB(1, 1)).getGreen() < 64, "a bright page in the dark");
    String shown = dom(full);
    for (String text : List.of("INTERRUPTED", "distribution", "lose")) {
      assertTrue(shown.contains(text), text);
    }
    assertTrue(dom(page(SyntheticRuns.of())).contains("Nothing"));
    Metric metric = new Metric(HOSTILE, HOSTILE, Metric.Better.HIGHER, true);
    Cell cell = SyntheticRuns.cell(HOSTILE, Contender.ours(HOSTILE), metric, 1e300, 1e-300);
    String text = dom(page(SyntheticRuns.of(cell)));
    assertTrue(text.contains("&lt;script&gt;document.title"), text);
    assertFalse(text.contains("<script>document.title") || text.contains("\u202e"), text);
  }

  private BufferedImage screenshot(Path page, String scheme) throws Exception {
    Path picture = folder.resolve("page.png");
    browse(page, scheme, "--screenshot=" + picture);
    return ImageIO.read(picture.toFile());
  }

  /** Returns what the page's script has made, without the scripts and the data. */
  private String dom(Path page) throws Exception {
    String html = browse(page, "--dump-dom");
    return html.substring(html.indexOf("<main>"), html.indexOf("</main>"));
  }

  private String browse(Path page, String... options) throws Exception {
    Path out = folder.resolve("browser.out");
    Path log = folder.resolve("browser.log");
    List<String> words =
        new ArrayList<>(
            List.of(
                "chromium",
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--enable-logging=stderr",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--allow-file-access-from-files",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1300,8000"));
    words.addAll(List.of(options));
    words.add(page.toUri().toString());
    ProcessBuilder command = new ProcessBuilder(words);
    command.redirectOutput(out.toFile()).redirectError(log.toFile());
    Process browser;
    try {
      browser = command.start();
    } catch (IOException e) {
      browser = abort("no Chromium on the PATH: " + e);
    }
    try {
      assertTrue(browser.waitFor(120, TimeUnit.SECONDS), "the browser did not end");
    } finally {
      browser.descendants().forEach(ProcessHandle::destroyForcibly);
      browser.destroyForcibly().waitFor();
    }
    String said = Files.readString(log);
    assertFalse(said.contains("CONSOLE"), said);
    return Files.readString(out);
  }

  private static long count(BufferedImage picture, int color) {
    int width = picture.getWidth();
    int[] dots = picture.getRGB(0, 0, width, picture.getHeight(), null, 0, width);
    return Arrays.stream(dots).filter(dot -> (dot & 0xFFFFFF) == color).count();
  }
}
