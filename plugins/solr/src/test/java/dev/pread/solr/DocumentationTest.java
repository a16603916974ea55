/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/solr.md has users write is what a core takes. */
@Tag("slow")
class DocumentationTest {

  private static String block(String language) throws IOException {
    String page = Files.readString(Path.of(System.getProperty("test.docs"), "solr.md"));
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertTrue(block.find(), language);
    return block.group(1);
  }

  @Test
  void aCoreLoadsWithWhatThePageSays(@TempDir Path home) throws Exception {
    Matcher factory =
        Pattern.compile("class=\"(.*?)\">(.*)</directoryFactory>", Pattern.DOTALL)
            .matcher(block("xml"));
    assertTrue(factory.find());
    Node.addCore(home, "books", factory.group(1), factory.group(2));
    Map<String, String> properties =
        Pattern.compile("-D([\\w.]+)=(\\w+)")
            .matcher(block("sh"))
            .results()
            .collect(Collectors.toMap(option -> option.group(1), option -> option.group(2)));
    try {
      properties.forEach(System::setProperty);
      try (Node node = Node.start(home)) {
        node.add("books", 0, 100);
        node.commit("books");
        assertEquals(100, node.count("books", "*:*"));
        assertEquals(256L << 20, Node.figures(node.container).get("cache.size_in_bytes"));
        assertTrue(Files.isDirectory(home.resolve("pread")));
      }
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }
}
