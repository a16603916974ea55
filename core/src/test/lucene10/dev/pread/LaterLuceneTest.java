/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A Lucene whose methods differ from those of the one that the classes were compiled for: theirs no
 * longer override them. All of it is in a JVM of its own.
 */
class LaterLuceneTest {

  /** Types of Lucene's, as far as opening a file needs them. */
  private static final String RANDOM_ACCESS_INPUT =
      """
      import java.io.IOException;
      public interface RandomAccessInput {
        long length();
        byte readByte(long position) throws IOException;
        default void readBytes(long position, byte[] target, int from, int count) {}
        short readShort(long position) throws IOException;
        int readInt(long position) throws IOException;
        long readLong(long position) throws IOException;
        default PREFETCH
      }
      """;

  private static final String INDEX_INPUT =
      """
      import java.io.Closeable;
      import java.io.IOException;
      public abstract class IndexInput extends DataInput implements Closeable {
        protected IndexInput(String description) {}
        public abstract long getFilePointer();
        public abstract void seek(long position) throws IOException;
        public abstract long length();
        public abstract IndexInput slice(String description, long offset, long length)
            throws IOException;
        public IndexInput slice(String description, long offset, long length, IOContext context)
            throws IOException {
          return slice(description, offset, length);
        }
        public PREFETCH
        public void updateIOContext(IOContext context) throws IOException {}
        public IndexInput clone() {
          return (IndexInput) super.clone();
        }
        AND
      }
      """;

  private static final String DIRECTORY =
      """
      public abstract class Directory implements java.io.Closeable {
        public abstract IndexInput openInput(String name, IOContext context);
        public IndexInput openInput(String name) {
          return openInput(name, IOContext.DEFAULT);
        }
      }
      """;

  /** As it is. */
  private static final String SAME = "void prefetch(long at, long count) {}";

  @TempDir Path folder;

  private void compile(String prefetch, String and) throws Exception {
    BackendJvm.compile(
        folder,
        Map.of(
            "RandomAccessInput",
            RANDOM_ACCESS_INPUT.replace("PREFETCH", prefetch),
            "IndexInput",
            INDEX_INPUT.replace("PREFETCH", prefetch).replace("AND", and)));
  }

  private String run() throws Exception {
    return BackendJvm.runWith(folder, "-Ddev.pread.backend=channel");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Another result, other parameters, another name; the last one has come beside ours.
        "boolean prefetch(long at, long count) { return false; }|''|prefetch(long,long)",
        "void prefetch(long at, int count) {}|''|prefetch(long,int), prefetch(long,long)",
        "void announce(long at, long count) {}|''|prefetch(long,long)",
        SAME + "|public void prefetch(long at) {}|prefetch(long)"
      })
  void whatIsNoLongerOverriddenIsInTheLogOnce(String prefetch, String and, String differences)
      throws Exception {
    compile(prefetch, and);
    LuceneWarning.assertSlow(run(), "channel", differences);
  }

  @Test
  void whatIsNotOfADirectoryIsInTheLogOnce() throws Exception {
    BackendJvm.compile(folder, Map.of("Directory", DIRECTORY));
    LuceneWarning.assertSlow(run(), "channel", "openInput(String)");
  }

  @Test
  void whatCanNotBeCalledIsNotCalledRight() throws Exception {
    compile(SAME, "public abstract Object readByte(long position);");
    LuceneWarning.assertBroken(run(), "readByte(long)");
  }

  @Test
  void whatCanNotBeLookedAtIsInTheLogAndWorks() throws Exception {
    compile(SAME, "public static class Gone {} public void take(Gone gone) {}");
    Files.delete(folder.resolve("org/apache/lucene/store/IndexInput$Gone.class"));
    String output = run();
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    Fixtures.assertNames(LuceneWarning.only(output), "org/apache/lucene/store/IndexInput$Gone");
  }

  @Test
  void withATestedLuceneThereIsNothingToSay() throws Exception {
    String output = run();
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertFalse(output.contains("RightLucene"), output);
  }
}
