/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;

/** What messages and logs say, however it is worded. */
public final class Messages {

  /** Settings that are refused, what they are set to, and what a message names beside these. */
  public static final String REFUSED =
      """
      pread.cache.size, 100%, auto 384mb 512mb
      pread.cache.size, 1000tb, auto 384mb 512mb
      pread.cache.size, 5 apples, auto 384mb 512mb
      pread.cache.size, -1, auto 384mb 512mb
      pread.cache.max, 100%, none 50% pread.cache.size
      pread.cache.max, -1, none 50% pread.cache.size
      pread.cache.max, much, none 50% pread.cache.size
      pread.block.size, 2kb, 4096 65536
      pread.block.size, 3kb, 4096 65536
      pread.block.size, 128kb, 4096 65536
      pread.block.size, 0, 4096 65536
      pread.block.size, large, 4kb 64kb
      pread.block.size, '', 4kb 64kb
      pread.queue.depth, -1, 0 1 1024
      pread.queue.depth, 1025, 0 1 1024
      pread.queue.depth, deep, 0 1024
      pread.queue.depth, '', 0 1024
      pread.backend, mmap, auto ffm jni channel
      pread.backend, '', auto ffm jni channel
      pread.cache.warm_restart, perhaps, true false
      """;

  private Messages() {}

  /** Checks that a message names all of these: settings, values, figures. */
  public static void assertNames(String message, Object... all) {
    for (Object one : all) {
      String word = "(?<!\\w)" + Pattern.quote(one.toString()) + "(?!\\w)";
      assertTrue(Pattern.compile(word).matcher(message).find(), one + ": " + message);
    }
  }

  /**
   * Leaves the line in which a server that has the plugin names itself and its Java, for {@code
   * .ci/compatibility}.
   */
  public static void keepVersion(String log) throws IOException {
    if (log.contains(NodeDirectories.CACHE_LINE)) {
      Files.write(
          Path.of("target/servers.log"),
          log.lines().filter(line -> line.contains(" version[")).toList(),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  /** Returns the one line of a log about the cache: a server logs such figures of its own, too. */
  public static String cacheLine(String log) {
    List<String> lines =
        log.lines().filter(line -> line.contains(NodeDirectories.CACHE_LINE)).toList();
    assertEquals(1, lines.size(), log);
    return lines.get(0);
  }
}
