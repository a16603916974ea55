/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.WrongResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.lucene.util.IOFunction;
import org.junit.jupiter.api.Test;

/** Requests that are drawn, and what of their answers counts. */
class SearchTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> TEXTS =
      List.of("one two, three four", "x", "four five(six) seven eight nine ten");

  @Test
  void allFormsComeEquallyOftenAndTheSameAgain() throws Exception {
    List<Search> searches = Search.draw(TEXTS, 100, 600, 3);
    assertEquals(searches, Search.draw(TEXTS, 100, 600, 3));
    assertNotEquals(searches, Search.draw(TEXTS, 100, 600, 4));
    Map<Search.Form, Long> forms =
        searches.stream().collect(Collectors.groupingBy(Search::form, Collectors.counting()));
    assertEquals(Search.Form.values().length, forms.size());
    assertEquals(Set.of(100L), Set.copyOf(forms.values()));
    Set<String> phrases = new TreeSet<>();
    for (Search search : searches) {
      JsonNode query = JSON.readTree(search.body()).path("query");
      assertEquals(search.form() != Search.Form.DOCUMENT, query.isObject(), search.body());
      phrases.add(query.at("/match_phrase/body").asText());
    }
    // What has something attached is another word to the analyzer, or two.
    assertEquals(Set.of("", "three four", "seven eight", "eight nine", "nine ten"), phrases);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void anotherAnswerIsAMismatch() throws Exception {
    List<Search> searches = Search.draw(TEXTS, 100, 12, 3);
    String hit =
        "{\"hits\":{\"total\":{\"value\":1,\"relation\":\"eq\"},\"hits\":[{\"_id\":\"4\"}]}}";
    List<String> answers = ServerCommand.check(searches, null, "niofs", search -> bytes(hit));
    ServerCommand.check(searches, answers, "pread", search -> bytes(hit));
    IOFunction<Search, byte[]> other = search -> bytes(hit.replace("4", "5"));
    WrongResult mismatch =
        assertThrows(
            WrongResult.class, () -> ServerCommand.check(searches, answers, "pread", other));
    assertTrue(mismatch.getMessage().contains("pread"), mismatch.getMessage());
  }

  private static String essence(String answer) throws Exception {
    return Search.essence(JSON.readTree(answer));
  }

  @Test
  void hitsAndCountsAreWhatCounts() throws Exception {
    String answer =
        "{'took':3,'hits':{'total':{'value':7,'relation':'eq'},'hits':[{'_id':'4','_source':{'a':1}}]}}"
            .replace('\'', '"');
    String essence = essence(answer);
    assertEquals(essence, essence(answer.replace("\"took\":3", "\"took\":9")));
    assertNotEquals(essence, essence(answer.replace(":7", ":8")));
    assertNotEquals(essence, essence(answer.replace("\"4\"", "\"5\"")));
    assertNotEquals(essence, essence(answer.replace("\"a\":1", "\"a\":2")));
    String atLeast = answer.replace("eq", "gte");
    assertEquals(essence(atLeast), essence(atLeast.replace(":7", ":8")));
  }

  @Test
  void furtherCopiesHaveOtherRareWords() {
    String text = "short words and AveryLongIdentifier";
    assertEquals(text, IndexFill.otherWords(new TextFeed.Chunk(0, 0, "f", 1, text)));
    assertEquals(text + "x2", IndexFill.otherWords(new TextFeed.Chunk(0, 2, "f", 1, text)));
  }
}
