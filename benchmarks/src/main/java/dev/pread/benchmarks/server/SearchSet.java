/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The searches of a run, in an order that is the same for all stores. Thread-safe. */
final class SearchSet {
  /** More than are sent before the server is started anew. */
  static final int SIZE = 60_000;

  private static final int CHECKED = 120;

  private final List<Search> searches;

  /** How a search is answered. */
  interface Server {
    byte[] send(Search search) throws IOException;
  }

  SearchSet(List<String> texts, long documents, long seed) throws UserError {
    this.searches = Search.draw(texts, documents, SIZE, seed);
  }

  /**
   * One of a phase.
   *
   * @param from where the phase begins
   * @param number in the phase, from 0
   */
  Search at(int from, long number) {
    return searches.get((int) ((from + number) % SIZE));
  }

  /**
   * What is answered to the first ones.
   *
   * @throws UserError if a form of search never finds anything: that would measure nothing
   */
  List<String> answers(Server server) throws IOException, UserError {
    List<String> answers = new ArrayList<>();
    Set<Search.Form> empty = EnumSet.allOf(Search.Form.class);
    for (Search search : searches.subList(0, CHECKED)) {
      String answer = search.essence(RestClient.parse(search.path(), server.send(search)));
      answers.add(answer);
      if (!answer.equals(Search.NOTHING)) {
        empty.remove(search.form());
      }
    }
    if (!empty.isEmpty()) {
      throw new UserError(
          "no search of the forms " + empty + " finds anything: name another text with --corpus");
    }
    return answers;
  }

  /**
   * Compares the answers of two stores.
   *
   * @throws HitMismatch naming the first that differs
   */
  void compare(String store, List<String> answers, String reference, List<String> expected)
      throws HitMismatch {
    for (int i = 0; i < CHECKED; i++) {
      if (!answers.get(i).equals(expected.get(i))) {
        Search search = searches.get(i);
        throw new HitMismatch(
            String.format(
                Locale.ROOT,
                "%s %s: %s answers [%s], and %s [%s]",
                search.path(),
                search.body() == null ? "" : search.body(),
                store,
                answers.get(i),
                reference,
                expected.get(i)),
            null);
      }
    }
  }
}
