/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Run;
import java.util.List;
import java.util.Map;

/** What was run, when, on what; what a reader has to know; what was left out. */
final class AboutSection {
  private final Html html;

  AboutSection(Html html) {
    this.html = html;
  }

  /** The head of the page. */
  void head(Run run) {
    html.element("h1", "lucene-pread benchmarks");
    html.open("p", "class", run.complete() ? "state complete" : "state stopped");
    html.element("b", run.complete() ? "Complete." : "INTERRUPTED.");
    html.text(
            run.complete()
                ? " All that was asked for has been measured"
                    + (run.skipped().isEmpty() ? "." : ", but for what was skipped (below).")
                : " The run ended early: this is what had been measured.")
        .closeLine();
    html.open("dl", "class", "what");
    term("command", run.about().command(), "code");
    term("started", run.about().started(), "span");
    term("version", run.about().version(), "span");
    html.closeLine();
  }

  private void term(String name, String value, String tag) {
    html.element("dt", name).open("dd").element(tag, value).closeLine();
  }

  /** Machine, JVM, storage and settings. */
  void facts(Run.About about) {
    html.open("details", "open", "open", "id", "about");
    html.element("summary", "Machine, JVM, storage, settings").open("div", "class", "facts");
    facts("Machine", about.machine());
    facts("JVM", about.jvm());
    facts("Storage", about.storage());
    facts("Settings", about.settings());
    html.close().closeLine();
  }

  private void facts(String title, Map<String, Object> facts) {
    if (facts.isEmpty()) {
      return;
    }
    html.open("table", "class", "about").element("caption", title).open("tbody");
    Words.facts(facts)
        .forEach((name, value) -> html.open("tr").element("th", name).element("td", value).close());
    html.close().closeLine();
  }

  void notes(List<String> notes) {
    if (notes.isEmpty()) {
      return;
    }
    html.element("h2", "Notes").open("ul");
    notes.forEach(note -> html.element("li", note));
    html.closeLine();
  }

  void skipped(List<Run.Skipped> skipped) {
    if (skipped.isEmpty()) {
      return;
    }
    html.element("h2", "Skipped").open("div", "class", "scroll");
    html.open("table", "class", "skipped").open("thead").open("tr");
    html.element("th", "what").element("th", "why, and what to do about it").close().close();
    html.open("tbody");
    skipped.forEach(
        one -> html.open("tr").element("td", one.what()).element("td", one.why()).close());
    html.close().close().closeLine();
  }
}
