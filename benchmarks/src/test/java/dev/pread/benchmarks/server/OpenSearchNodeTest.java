/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Nothing is written into the home of a server. */
class OpenSearchNodeTest {

  @Test
  void filesOfTheJvmGoElsewhere() {
    String options =
        """
        -XX:HeapDumpPath=data
        -XX:ErrorFile=logs/hs_err_pid%p.log
        9-:-Xlog:gc*:file=logs/gc.log:utctime:filecount=32
        -Dx=file=/var/log/y
        """;
    assertEquals(
        """
        -XX:HeapDumpPath=/w/data
        -XX:ErrorFile=/w/logs/hs_err_pid%p.log
        9-:-Xlog:gc*:file=/w/logs/gc.log:utctime:filecount=32
        -Dx=file=/var/log/y
        """,
        OpenSearchNode.elsewhere(options, Path.of("/w")));
  }
}
