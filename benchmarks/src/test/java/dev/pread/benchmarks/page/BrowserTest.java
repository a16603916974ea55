/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.result.Run;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a headless Chromium without a network, where there is one. */
final class BrowserTest {
  /** The second of ours, whose colour nothing but plots and legends has. */
  private static final int DIRECT = 0xC4006E;

  /** Of heat maps, where ours win by a lot and where they lose by a lot. */
  private static final int WON = 0x1F66AD;

  private static final int LOST = 0xB85806;

  @TempDir private Path folder;

  private static Optional<Path> chromium() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .flatMap(
            folder ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private BufferedImage screenshot(Path page) throws IOException, InterruptedException {
    Path picture = folder.resolve("page.png");
    Path log = folder.resolve("browser.log");
    Process browser =
        new ProcessBuilder(
                chromium().orElseThrow().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1300,5200",
                "--screenshot=" + picture,
                page.toUri().toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(browser.waitFor(60, TimeUnit.SECONDS), "the browser did not end");
    } finally {
      browser.descendants().forEach(ProcessHandle::destroyForcibly);
      browser.destroyForcibly().waitFor();
    }
    assertTrue(Files.isRegularFile(picture), Files.readString(log));
    return ImageIO.read(picture.toFile());
  }

  private static int count(BufferedImage picture, int color) {
    int count = 0;
    for (int y = 0; y < picture.getHeight(); y++) {
      for (int x = 0; x < picture.getWidth(); x++) {
        count += (picture.getRGB(x, y) & 0xFFFFFF) == color ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void plotsAndHeatMapsShowWithoutANetwork() throws Exception {
    assumeTrue(chromium().isPresent(), "no Chromium on the PATH");
    Run run = new SyntheticRuns(1, 5).grid().run();
    Path page = folder.resolve("page.html");
    Files.writeString(page, HtmlReport.page(run, Drawings.Drawing::svg));
    BufferedImage picture = screenshot(page);
    assertEquals(1300, picture.getWidth());
    assertTrue(count(picture, DIRECT) > 500, count(picture, DIRECT) + " dots of a line");
    assertTrue(count(picture, LOST) > 5000, count(picture, LOST) + " dots of lost cells");

    Files.writeString(
        page,
        HtmlReport.page(
            run,
            drawing -> {
              throw new IOException("no graphics");
            }));
    BufferedImage bare = screenshot(page);
    assertEquals(0, count(bare, DIRECT), "dots of a line where there are no plots");
    assertTrue(List.of(WON, LOST).stream().anyMatch(color -> count(bare, color) > 0));
  }
}
