/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.benchmarks.machine.UserError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds a request that a client of the server sends.
 *
 * @param body empty for none
 */
record Search(Form form, String path, String body) {
  /**
   * Text that the analyzer takes as one word, without anything attached to it or to be escaped in
   * JSON; and the word that follows, if there is one.
   */
  private static final Pattern WORD =
      Pattern.compile("(?<!\\S)([A-Za-z]{3,})(?!\\S)(?=\\s+([A-Za-z]{3,})(?!\\S))?");

  /** An answer of a part of the index is a failure. */
  private static final String SEARCH =
      "/" + IndexFill.INDEX + "/_search?request_cache=false&allow_partial_search_results=false";

  /** Says what is asked for: all forms come equally often. */
  enum Form {
    WORD("{\"query\":{\"match\":{\"body\":\"%1$s\"}}}"),
    BOTH("{\"query\":{\"match\":{\"body\":{\"query\":\"%1$s %2$s\",\"operator\":\"and\"}}}}"),
    PHRASE("{\"query\":{\"match_phrase\":{\"body\":\"%3$s\"}}}"),
    /** The ten longest with a word and within a range of lines. */
    SORTED(
        "{\"query\":{\"bool\":{\"must\":{\"match\":{\"body\":\"%1$s\"}},"
            + "\"filter\":{\"range\":{\"line\":{\"lte\":600}}}}},\"sort\":[{\"length\":\"desc\"}]}"),
    /** The folders a word is in, how often, and how long the documents are. */
    FOLDERS(
        "{\"query\":{\"match\":{\"body\":\"%1$s\"}},\"size\":0,\"aggs\":{\"folders\":{\"terms\":"
            + "{\"field\":\"folder\"},\"aggs\":{\"length\":{\"avg\":{\"field\":\"length\"}}}}}}"),
    DOCUMENT("");

    private final String body;

    Form(String body) {
      this.body = body;
    }
  }

  /**
   * Draws requests.
   *
   * @param texts of documents, where the words come from: those of many documents come often
   * @param documents whose keys are the numbers from 0
   * @throws UserError if there are no words in them
   */
  static List<Search> draw(List<String> texts, long documents, int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Form[] forms = Form.values();
    List<Search> drawn = new ArrayList<>();
    List<Words> all = texts.stream().map(Words::of).filter(Words::isRich).toList();
    if (all.isEmpty()) {
      throw new UserError("the corpus has no words to search for: name another with --corpus");
    }
    while (drawn.size() < count) {
      Words words = all.get(random.nextInt(all.size()));
      Form form = forms[drawn.size() % forms.length];
      drawn.add(
          form == Form.DOCUMENT
              ? new Search(form, "/" + IndexFill.INDEX + "/_doc/" + random.nextLong(documents), "")
              : new Search(form, SEARCH, words.body(form, random)));
    }
    return drawn;
  }

  String method() {
    return body.isEmpty() ? "GET" : "POST";
  }

  /**
   * The words that searches are made of.
   *
   * @param single words of a text, each once
   * @param pairs of words that follow each other in it
   */
  private record Words(List<String> single, List<String> pairs) {
    static Words of(String text) {
      List<String> pairs = new ArrayList<>();
      Set<String> single = new LinkedHashSet<>();
      for (Matcher word = WORD.matcher(text); word.find(); ) {
        single.add(word.group(1).toLowerCase(Locale.ROOT));
        if (word.group(2) != null) {
          pairs.add(word.group(1) + " " + word.group(2));
        }
      }
      return new Words(List.copyOf(single), pairs);
    }

    boolean isRich() {
      return single.size() >= 2 && !pairs.isEmpty();
    }

    String body(Form form, SplittableRandom random) {
      int first = random.nextInt(single.size());
      int other = (first + 1 + random.nextInt(single.size() - 1)) % single.size();
      String pair = pairs.get(random.nextInt(pairs.size()));
      return String.format(Locale.ROOT, form.body, single.get(first), single.get(other), pair);
    }
  }

  /** Returns what has to be the same whatever the index is read with. */
  static String essence(JsonNode answer) {
    StringBuilder essence = new StringBuilder();
    JsonNode hits = answer.path("hits");
    // Beyond ten thousand hits the server stops counting, sometimes later than at others.
    if (hits.path("total").path("relation").asText().equals("eq")) {
      essence.append(hits.path("total").path("value"));
    }
    for (JsonNode hit : hits.has("hits") ? hits.path("hits") : List.of(answer)) {
      essence.append(' ').append(hit.path("_id").asText()).append(hit.path("sort"));
      essence.append(hit.path("_source").toString().hashCode());
    }
    return essence.append(answer.path("aggregations")).toString();
  }
}
