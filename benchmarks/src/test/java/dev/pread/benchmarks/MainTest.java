/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Whoever would no longer refuse something would begin to measure. */
@Timeout(60)
class MainTest {
  @TempDir private Path temp;

  /** {@code DIR} stands for an empty folder. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "compare --fast | Unknown option: '--fast'",
        "compare --memory=1g | Unknown option: '--memory=1g'",
        "compare --read-ahead=1 | Unknown option: '--read-ahead=1'",
        "compare --threads=many | --threads",
        "compare --threads=0 | --threads",
        "compare --seconds=-1 | --seconds",
        "compare --index=DIR --corpus=DIR | --corpus",
        "compare --index=DIR | segments",
        "compare --index=/nowhere | /nowhere",
        "compare --corpus=/nowhere | /nowhere",
        "compare --directories=mmap,floppy | 'floppy'",
        "compare --directories=org.example.No | 'org.example.No'",
        "compare --directories=java.lang.String | 'java.lang.String'",
        "compare --corpus=DIR --json=DIR/no/run.json | --json",
        "output --rounds=0 --json=DIR/run.json | --rounds",
        "grid --memory=1k --json=DIR/run.json | --memory",
        "grid --strategies=mmap,nosuch | --strategies",
        "grid --bytes=1000 | --bytes",
        "grid --announced=24 | --announced",
        "grid --java-option=nosuch=-Xmx1g | nosuch",
        "grid --regimes=cold | cold",
        "streams --file-size=0 | --file-size",
        "pressure cold --memory=much | --memory",
        "pressure cold --bytes=100 | --bytes",
        "pressure cold --zipf=-1 | --zipf",
        "pressure merge --copies=1 | --copies",
        "server --home=DIR | --home",
        "server --home=DIR --index=x | Unknown option: '--index=x'",
        "workloads --scenarios=read | 'read'",
        "workloads --vectors=0 | --vectors",
        "workloads --directories=mmap --java-option=direct=-Xint | --java-option",
      })
  void whatMakesNoSenseIsRefusedAndLeavesNothing(String words, String fact) {
    Cli.run(words + " --quick --work=DIR/work", temp).says(fact);
    assertEquals(0, temp.toFile().list().length);
  }

  @Test
  void helpSaysHowEachCommandMeasures() {
    Map<String, CommandLine> commands = new HashMap<>(Main.commandLine().getSubcommands());
    commands.putAll(commands.get("pressure").getSubcommands());
    commands.keySet().removeAll(List.of("all", "child", "jmh", "report"));
    commands.forEach(
        (name, command) -> {
          String help = command.getUsageMessage();
          String last = command.getHelpSectionMap().get("footer").render(command.getHelp());
          assertTrue(last.strip().length() > 100 && help.endsWith(last), name + ": " + help);
          assertTrue(last.lines().allMatch(line -> line.length() <= 110), name);
          for (OptionSpec option : command.getCommandSpec().options()) {
            assertTrue(option.description().length > 0, name + " " + option);
          }
        });
    assertEquals(14, commands.size());
    Cli.fine("jmh --help", temp);
  }

  /** Commits that are checked out have options of their own. */
  @Test
  void pagesPrintNoOptionThatIsGone() throws IOException {
    String names = String.join("|", Main.commandLine().getSubcommands().keySet());
    Pattern printed =
        Pattern.compile(
            "(?m)(?:benchmarks\\.jar |^ {4}|`)((?:" + names + ")(?: [^`\n#]*)?)(?=[`#]|$)");
    int found = 0;
    List<String> gone = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(Path.of("../docs"))) {
      Stream<Path> pages = docs.filter(file -> file.toString().endsWith(".md"));
      for (Path page : Stream.concat(Stream.of(Path.of("../README.md")), pages).toList()) {
        for (String paragraph : Files.readString(page).replace("\\\n", "").split("\n\n", -1)) {
          Matcher matcher = printed.matcher(paragraph.contains("git worktree") ? "" : paragraph);
          for (; matcher.find(); found++) {
            String words = matcher.group(1).replaceAll("\\bN\\b", "1").strip();
            try {
              Main.commandLine().parseArgs(words.split(" +", -1));
            } catch (UnmatchedArgumentException e) {
              gone.add(page + ": " + words + ": " + e.getMessage());
            } catch (ParameterException incomplete) {
              // A text need not name everything.
            }
          }
        }
      }
    }
    assertEquals(List.of(), gone);
    assertTrue(found > 50, found + " commands");
  }
}
