/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * Reads what people read, as LanguageTool does: the pages, and the messages in the sources. What it
 * can't know is in {@code vocabulary.txt}, a word per line.
 */
class LanguageTest {

  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules");

  /** Rules about typography, and those that take a table or a command for a sentence. */
  private static final List<String> LEFT_OUT =
      List.of(
          "WHITESPACE_RULE",
          "EN_QUOTES",
          "COMMA_PARENTHESIS_WHITESPACE",
          "UPPERCASE_SENTENCE_START",
          "ENGLISH_WORD_REPEAT_BEGINNING_RULE",
          "EN_UNPAIRED_BRACKETS",
          "EN_UNPAIRED_QUOTES",
          "DASH_RULE",
          "MULTIPLICATION_SIGN",
          "ARROWS",
          "DOUBLE_PUNCTUATION",
          "SENTENCE_WHITESPACE",
          "CONSECUTIVE_SPACES",
          "UNIT_SPACE",
          "PLUS_MINUS",
          "OXFORD_SPELLING_Z_NOT_S",
          "ENGLISH_WORD_REPEAT_RULE",
          // The placeholder for code begins with a consonant, and the code may not.
          "EN_A_VS_AN",
          "A_INFINITIVE",
          "A_UNCOUNTABLE",
          // Commas that are a matter of taste.
          "BY_DEFAULT_COMMA",
          "COMMA_COMPOUND_SENTENCE_2",
          "FOR_EVER_CA",
          "IN_WINDOWS",
          "TO_TOO",
          "UNNECESSARY_COMMA",
          // The name of the licence.
          "LICENCE_LICENSE_NOUN_SINGULAR");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^\\s*```.*?^\\s*```|^ {4}.*?$");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]+(\\n[^`\\n]+)?`");
  private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)+)\"");

  /** What stands between two literals of one message: nothing, or a value. */
  private static final Pattern PLUS = Pattern.compile("\"\\s*\\+\\s*\"");

  private static final Pattern PLUS_VALUE = Pattern.compile("\"\\s*\\+[^\";{}]+\\+\\s*\"");

  /** What is no word of a message: a format, an option, a name in camel case or of the kernel's. */
  private static final Pattern VALUE =
      Pattern.compile(
          "%[-+,0-9.$]*[a-zA-Z]|\\$\\{[^}]*}|(?<!\\w)--?[A-Za-z][\\w.-]*(=[\\w.-]+)?"
              + "|\\w*[a-z][A-Z]\\w*(\\.\\w+)*|\\w+\\.\\w+_\\w+");

  /** The name in the place of code, or of a value: any sentence can have it. */
  private static final String NAME = "Lucene";

  private static JLanguageTool pages;
  private static JLanguageTool messages;

  @BeforeAll
  static void start() throws IOException {
    List<String> vocabulary;
    try (var words = LanguageTest.class.getResourceAsStream("vocabulary.txt")) {
      vocabulary =
          new String(words.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(w -> !w.isBlank())
              .toList();
    }
    assertEquals(vocabulary.stream().sorted().distinct().toList(), vocabulary, "keep it sorted");
    pages = tool(vocabulary);
    messages = tool(vocabulary);
    messages.disableRule("MISSING_COMMA_AFTER_INTRODUCTORY_PHRASE");
  }

  private static JLanguageTool tool(List<String> vocabulary) {
    JLanguageTool tool = new JLanguageTool(Languages.getLanguageForShortCode("en-GB"));
    for (Rule rule : tool.getAllActiveRules()) {
      if (rule instanceof SpellingCheckRule checker) {
        checker.addIgnoreTokens(vocabulary);
      }
    }
    tool.disableRules(LEFT_OUT);
    return tool;
  }

  @Test
  void pages() throws IOException {
    List<String> complaints = new ArrayList<>();
    List<Path> pagesAndHelp = new ArrayList<>(files(".md"));
    files(".txt").stream()
        .filter(text -> text.toString().contains("/src/main/resources/"))
        .forEach(pagesAndHelp::add);
    for (Path page : pagesAndHelp) {
      complaints.addAll(complaints(pages, page, text(Files.readString(page))));
    }
    assertTrue(complaints.isEmpty(), () -> String.join("\n", complaints));
  }

  @Test
  void messages() throws IOException {
    List<String> complaints = new ArrayList<>();
    for (Path source : files(".java")) {
      if (source.toString().contains("/src/main/")) {
        String text = messages(Files.readString(source));
        complaints.addAll(complaints(messages, source, text));
      }
    }
    assertTrue(complaints.isEmpty(), () -> String.join("\n", complaints));
  }

  @Test
  void aMistakeIsFound() throws IOException {
    assertEquals(1, pages.check("It have room for this block.").size());
    String source = "fail(\"it have room for\\n\" + 2 + \" blocks, and %s can \" + \"be opend\")";
    assertEquals(2, messages.check(messages(source)).size(), messages(source));
  }

  /** Returns the messages of a source, a paragraph each. */
  private static String messages(String source) {
    String joined = PLUS.matcher(source).replaceAll("");
    joined = PLUS_VALUE.matcher(joined).replaceAll(NAME);
    return LITERAL
        .matcher(joined)
        .results()
        .map(found -> found.group(1))
        .filter(LanguageTest::isProse)
        .map(LanguageTest::sentence)
        .collect(Collectors.joining("\n\n"));
  }

  /** Returns whether there are three words of letters, and no attributes. */
  private static boolean isProse(String literal) {
    return literal.matches(".*[a-z]{2,} [a-z]{2,} [a-z]{2,}.*") && !literal.contains("desc:");
  }

  /** Returns the text of a literal, with a name for each value: in it, before it and behind it. */
  private static String sentence(String literal) {
    String text = literal.replaceAll("\\\\n|%n", "\n").replaceAll("\\\\(.)", "$1");
    text = VALUE.matcher(text.replace("%%", " %")).replaceAll(NAME);
    return text.replaceAll("^(?=[ ,.:;)])", NAME).replaceAll(" $", " " + NAME);
  }

  private static List<String> complaints(JLanguageTool tool, Path file, String text)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (RuleMatch match : tool.check(text)) {
      String place =
          text.substring(
              Math.max(0, match.getFromPos() - 30), Math.min(text.length(), match.getToPos() + 20));
      found.add(
          ROOT.relativize(file)
              + ": "
              + match.getRule().getId()
              + " \""
              + text.substring(match.getFromPos(), match.getToPos())
              + "\" in \""
              + place.replace('\n', ' ')
              + "\" "
              + match.getSuggestedReplacements().stream().limit(3).toList());
    }
    return found;
  }

  /** Returns a page without code; the cells of tables are paragraphs. */
  private static String text(String page) {
    String text = BLOCK.matcher(page).replaceAll("");
    text = CODE.matcher(text).replaceAll(NAME);
    text = LINK.matcher(text).replaceAll(link -> Matcher.quoteReplacement(link.group(1)));
    text = text.replaceAll("(?m)^\\|[-|: ]+\\|$", "").replaceAll("\\s*\\|\\s*", "\n\n");
    text =
        text.replaceAll("(?m)^#+ ", "")
            .replaceAll("\\*\\*|(?<=\\W)\\*(?=\\w)|(?<=\\w)\\*(?=\\W)", "");
    return text.replaceAll("(?m)^(- |\\d+\\. )", "\n");
  }

  private static List<Path> files(String suffix) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(suffix)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    assertTrue(files.size() > 5, () -> ROOT + " has " + files);
    return files;
  }
}
