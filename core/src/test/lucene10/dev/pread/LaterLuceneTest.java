/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Lucene whose {@code prefetch} has a result, which the one that the classes were compiled for
 * has not: theirs no longer overrides it. All of it is in a JVM of its own.
 */
class LaterLuceneTest {

  /** The classes that differ, as far as opening a file needs them. */
  private static final Map<String, String> LATER =
      Map.of(
          "RandomAccessInput",
          """
          package org.apache.lucene.store;
          import java.io.IOException;
          public interface RandomAccessInput {
            long length();
            byte readByte(long position) throws IOException;
            default void readBytes(long position, byte[] target, int from, int count) {}
            short readShort(long position) throws IOException;
            int readInt(long position) throws IOException;
            long readLong(long position) throws IOException;
            default boolean prefetch(long position, long count) throws IOException {
              return false;
            }
          }
          """,
          "IndexInput",
          """
          package org.apache.lucene.store;
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
            public boolean prefetch(long position, long count) throws IOException {
              return false;
            }
            public void updateIOContext(IOContext context) throws IOException {}
            public IndexInput clone() {
              return (IndexInput) super.clone();
            }
            // An overload of a method that is ours, which calls it.
            public boolean prefetch(long position) throws IOException {
              return prefetch(position, 1);
            }
            /* and */
          }
          """);

  @TempDir Path folder;

  /** Compiles the classes to the folder, with {@code and} as a member of the input. */
  private void compile(String and) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assumeTrue(compiler != null, "this is a runtime without a compiler");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-cp", System.getProperty("surefire.test.class.path"), "-d", folder.toString()));
    for (Map.Entry<String, String> type : LATER.entrySet()) {
      Path source = folder.resolve(type.getKey() + ".java");
      arguments.add(
          Files.writeString(source, type.getValue().replace("/* and */", and)).toString());
    }
    assertEquals(0, compiler.run(null, null, null, arguments.toArray(String[]::new)));
  }

  /** Opens two directories with the classes of {@code first} before all others. */
  private String run(Path first) throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return BackendJvm.run(
        Map.of(),
        List.of("-Ddev.pread.backend=channel"),
        first + File.pathSeparator + classPath,
        BackendJvm.class,
        Files.createTempDirectory(folder, "index").toString());
  }

  @Test
  void whatIsNoLongerOverriddenIsInTheLogOnce() throws Exception {
    compile("");
    String output = run(folder);
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertEquals(
        1,
        BackendJvm.count(
            output,
            "and this is Lucene "
                + Version.LATEST
                + ", in which these have another form, so that Lucene's own are in use:"
                + " prefetch(long,long). "),
        output);
    assertEquals(1, BackendJvm.count(output, "lucene-pread-core was built for Lucene 10."), output);
    assertTrue(output.contains(" and tested with 10.3."), output);
  }

  @Test
  void whatCanNotBeCalledIsNotCalledRight() throws Exception {
    compile("public abstract Object readByte(long position);");
    String output = run(folder);
    assertTrue(output.contains("prefetch(long,long), readByte(long). "), output);
    assertTrue(output.contains("AbstractMethodError: take a Lucene that was tested"), output);
    assertFalse(output.contains("is right"), output);
  }

  @Test
  void whatCanNotBeLookedAtIsInTheLogAndWorks() throws Exception {
    compile("public static class Gone {} public void take(Gone gone) {}");
    Files.delete(folder.resolve("org/apache/lucene/store/IndexInput$Gone.class"));
    String output = run(folder);
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertEquals(1, BackendJvm.count(output, "have another form is not known: "), output);
  }

  @Test
  void nothingIsMissedWithTheLuceneThatIsHere() throws Exception {
    String output = run(folder);
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertFalse(output.contains("have another form"), output);
  }
}
