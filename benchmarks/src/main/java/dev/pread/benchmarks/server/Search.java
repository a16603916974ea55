/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pread.benchmarks.UserError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A request that a client of the server sends.
 *
 * @param form what it asks for
 * @param method of HTTP
 * @param path with parameters
 * @param body null for none
 */
record Search(Form form, String method, String path, String body) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** What the analyzer takes as one word, and nothing attached to it. */
  private static final Pattern WORD = Pattern.compile("[A-Za-z]{3,}");

  /** The essence of an answer without hits. */
  static final String NOTHING = "0[]";

  private static final int HEAD = 256;
  private static final String SEARCH = "/" + IndexFill.INDEX + "/_search?request_cache=false";

  /** What is asked for: all forms come equally often. */
  enum Form {
    /** The ten best documents for a word, with their text. */
    WORD,
    /** The ten best for two words of the same document. */
    BOTH,
    /** The ten best for two words that follow each other. */
    PHRASE,
    /** The ten longest with a word and within a range of lines. */
    SORTED,
    /** In which folders a word is, how often, and how long the documents are. */
    FOLDERS,
    /** A document by its key. */
    DOCUMENT
  }

  /**
   * Draws requests.
   *
   * @param texts of documents, where the words come from: those of many documents come often
   * @param documents whose keys are the numbers from 0
   * @throws UserError if there are no words in them
   */
  static List<Search> draw(List<String> texts, long documents, int count, long seed)
      throws UserError {
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
              ? new Search(
                  form, "GET", "/" + IndexFill.INDEX + "/_doc/" + random.nextLong(documents), null)
              : new Search(form, "POST", SEARCH, words.body(form, random)));
    }
    return drawn;
  }

  /**
   * What searches are made of.
   *
   * @param single words of a text, each once
   * @param pairs of words that follow each other in it
   */
  private record Words(List<String> single, List<String> pairs) {
    static Words of(String text) {
      List<String> pairs = new ArrayList<>();
      Set<String> single = new LinkedHashSet<>();
      String before = "";
      for (String word : SPACE.splitAsStream(text).toList()) {
        if (WORD.matcher(word).matches()) {
          single.add(word.toLowerCase(Locale.ROOT));
          if (!before.isEmpty()) {
            pairs.add(before + " " + word);
          }
          before = word;
        } else {
          before = "";
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
      return Search.body(
          form,
          single.get(first),
          form == Form.PHRASE ? pairs.get(random.nextInt(pairs.size())) : single.get(other));
    }
  }

  private static String body(Form form, String word, String other) {
    ObjectNode search = JSON.createObjectNode();
    ObjectNode query = search.putObject("query");
    switch (form) {
      case WORD -> query.putObject("match").put("body", word);
      case BOTH ->
          query
              .putObject("match")
              .putObject("body")
              .put("query", word + " " + other)
              .put("operator", "and");
      case PHRASE -> query.putObject("match_phrase").put("body", other);
      case SORTED -> {
        ObjectNode bool = query.putObject("bool");
        bool.putObject("must").putObject("match").put("body", word);
        bool.putObject("filter").putObject("range").putObject("line").put("lte", 600);
        search.putArray("sort").addObject().put("length", "desc");
      }
      default -> {
        query.putObject("match").put("body", word);
        search.put("size", 0);
        ObjectNode folders = search.putObject("aggs").putObject("folders");
        folders.putObject("terms").put("field", "folder");
        folders.putObject("aggs").putObject("length").putObject("avg").put("field", "length");
      }
    }
    return search.toString();
  }

  /** Whether an answer is not that of the whole index. */
  boolean isPartial(byte[] answer) {
    if (form == Form.DOCUMENT) {
      return false; // There is a status for that.
    }
    // Near the beginning: no need to take all apart while time is measured.
    String head = new String(answer, 0, Math.min(HEAD, answer.length), StandardCharsets.UTF_8);
    return !head.contains("\"timed_out\":false") || !head.contains("\"failed\":0");
  }

  /** What has to be the same whatever the index is read with. */
  String essence(JsonNode answer) {
    if (form == Form.DOCUMENT) {
      return answer.path("_id").asText() + " " + answer.path("_source").toString().hashCode();
    }
    StringBuilder essence = new StringBuilder();
    // Beyond ten thousand hits the server stops counting, sometimes later than at others.
    if (answer.path("hits").path("total").path("relation").asText().equals("eq")) {
      essence.append(answer.path("hits").path("total").path("value"));
    }
    for (JsonNode hit : answer.path("hits").path("hits")) {
      essence.append(' ').append(hit.path("_id").asText()).append(hit.path("sort"));
      essence.append(hit.path("_source").toString().hashCode());
    }
    TreeSet<String> folders = new TreeSet<>();
    for (JsonNode bucket : answer.path("aggregations").path("folders").path("buckets")) {
      folders.add(
          bucket.path("key").asText()
              + bucket.path("doc_count")
              + bucket.path("length").path("value"));
    }
    return essence.append(folders).toString();
  }
}
