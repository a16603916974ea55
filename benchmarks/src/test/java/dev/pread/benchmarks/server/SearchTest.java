/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests that are drawn, and what of their answers counts. */
class SearchTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> TEXTS =
      List.of("one two three", "x", "four five six seven eight nine ten");

  @Test
  void allFormsComeEquallyOftenAndTheSameAgain() throws Exception {
    List<Search> searches = Search.draw(TEXTS, 100, 600, 3);
    assertEquals(searches, Search.draw(TEXTS, 100, 600, 3));
    assertNotEquals(searches, Search.draw(TEXTS, 100, 600, 4));
    Map<Search.Form, Integer> forms = new EnumMap<>(Search.Form.class);
    for (Search search : searches) {
      forms.merge(search.form(), 1, Integer::sum);
      assertEquals(search.form() == Search.Form.DOCUMENT, search.body() == null);
      if (search.body() == null) {
        long key = Long.parseLong(search.path().substring("/text/_doc/".length()));
        assertTrue(key >= 0 && key < 100, search.path());
      } else {
        assertTrue(JSON.readTree(search.body()).has("query"), search.body());
      }
    }
    assertEquals(Search.Form.values().length, forms.size());
    assertTrue(forms.values().stream().allMatch(count -> count == 100), forms::toString);
  }

  private static String essence(String answer) throws Exception {
    return new Search(Search.Form.WORD, "POST", "/", "{}").essence(JSON.readTree(answer));
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
  void answersOfAPartOfTheIndexAreNoticed() {
    Search search = new Search(Search.Form.WORD, "POST", "/", "{}");
    String whole =
        "{\"took\":1,\"timed_out\":false,\"_shards\":{\"total\":1,\"successful\":1,\"skipped\":0,\"failed\":0}}";
    assertFalse(search.isPartial(whole.getBytes(StandardCharsets.UTF_8)));
    for (String partial :
        List.of(
            whole.replace("false", "true"), whole.replace("\"failed\":0", "\"failed\":1"), "{}")) {
      assertTrue(search.isPartial(partial.getBytes(StandardCharsets.UTF_8)), partial);
    }
  }
}
