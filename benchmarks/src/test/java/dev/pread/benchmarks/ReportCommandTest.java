/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.RunFile;
import dev.pread.benchmarks.report.SyntheticRuns;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportCommandTest {
  @TempDir private Path folder;

  private Path file() throws Exception {
    Path file = folder.resolve("run.json");
    Metric rate = Metric.throughput("ops/s");
    RunFile.write(
        file,
        SyntheticRuns.of(
            SyntheticRuns.cell("scan", Contender.ours("pread"), rate, 1, 2, 3),
            SyntheticRuns.cell("scan", Contender.other("mmap"), rate, 1, 2, 3)));
    return file;
  }

  @Test
  void aRunIsShownAgain() throws Exception {
    Path html = folder.resolve("page.html");
    Cli cli = Cli.fine("report", file(), "--html", html);
    assertTrue(cli.out().contains("== b"));
    assertTrue(Files.readString(html).contains("scan"));
  }

  @Test
  void wrongUseIsToldInALine() throws Exception {
    Path a = file();
    Path nowhere = folder.resolve("no/page.html");
    Cli.refused("FILE", "report");
    Cli.refused("Unmatched argument", "report", a, a);
    Cli.refused("missing.json", "report", folder.resolve("missing.json"));
    Cli.refused(folder.toString(), "report", folder);
    Cli.refused("--html", "report", a, "--html", nowhere);
  }

  @Test
  void damagedFilesAreToldInALine() throws Exception {
    byte[] sound = Files.readAllBytes(file());
    Path file = folder.resolve("damaged.json");
    Path html = folder.resolve("page.html");
    Random random = new Random(3);
    int refused = 0;
    for (int i = 0; i < 160; i++) {
      byte[] damaged = damage(sound, random, i % 4);
      Files.write(file, damaged);
      Cli cli = i % 8 == 0 ? Cli.run("report", file, "--html", html) : Cli.run("report", file);
      String text = new String(damaged, StandardCharsets.UTF_8);
      assertTrue(cli.code() == ExitCode.OK || cli.code() == ExitCode.USAGE, cli.err() + text);
      assertFalse(cli.err().contains("\tat "), cli.err() + text);
      assertEquals(cli.code() == ExitCode.OK ? 0 : 1, cli.err().lines().count(), cli.err() + text);
      refused += cli.code() == ExitCode.OK ? 0 : 1;
    }
    assertTrue(refused > 80, refused + " of 160");
  }

  private static byte[] damage(byte[] sound, Random random, int how) {
    String text = new String(sound, StandardCharsets.UTF_8);
    int at = random.nextInt(sound.length);
    return switch (how) {
      case 0 -> Arrays.copyOf(sound, at);
      case 1 -> {
        byte[] bytes = sound.clone();
        bytes[at] = (byte) random.nextInt(256);
        yield bytes;
      }
      case 2 -> {
        // A whole value goes.
        String[] lines = text.split("\n", -1);
        int line = random.nextInt(lines.length);
        lines[line] = lines[line].replaceFirst(":.*?(,?)$", ": null$1");
        yield String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
      }
      default -> {
        List<String> values = List.of("-1e308", "0", "\"NaN\"", "[]", "{}", "\"\"", "1e999");
        String value = values.get(random.nextInt(values.size()));
        int colon = Math.max(0, text.indexOf(" : ", at));
        String rest = text.substring(colon).replaceFirst(" : [^,\\n]*", "");
        yield (text.substring(0, colon) + " : " + value + rest).getBytes(StandardCharsets.UTF_8);
      }
    };
  }
}
