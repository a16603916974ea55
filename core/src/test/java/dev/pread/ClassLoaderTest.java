/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.BackendRegistry;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library in an application that is loaded, ended and loaded again in the same JVM. */
class ClassLoaderTest {

  private static final int BYTES = 4 << 20;

  @TempDir Path folder;

  /** What the application does, with classes of its own. */
  public static final class Application {

    /** It is made by reflection. */
    public Application() {}

    /** Returns how many directories it has used. */
    public int apply(Path folder) {
      try (BlockCache cache = BlockCache.builder().max(64 << 20).build()) {
        PreadConfig config = PreadConfig.builder().cache(cache).build();
        return use(new PreadDirectory(folder, FSLockFactory.getDefault(), config))
            + use(new DirectPreadDirectory(folder, FSLockFactory.getDefault(), config))
            + useShared(new PreadDirectory(folder))
            + useShared(new DirectPreadDirectory(folder));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private static int useShared(BasePreadDirectory directory) throws IOException {
      try (BlockCache shared = directory.cache()) {
        assertTrue(shared.size() > 0);
        return use(directory);
      }
    }

    /** Writes a large file, reads some of it, and reads all of it once. */
    private static int use(Directory opened) throws IOException {
      try (Directory directory = opened) {
        IOContext flush = LuceneCalls.flush(new FlushInfo(1, 1L << 30));
        try (IndexOutput output = directory.createOutput("f", flush)) {
          output.writeBytes(new byte[BYTES], BYTES);
        }
        try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
          LuceneCalls.prefetch(input, BYTES / 2, 64 << 10);
          input.readBytes(new byte[BYTES], 0, BYTES);
        }
        try (IndexInput input = directory.openInput("f", IOContext.READONCE)) {
          input.readBytes(new byte[BYTES], 0, BYTES);
        }
        directory.deleteFile("f");
      }
      return 1;
    }
  }

  /** The JVM that loads the application and drops it again. */
  static final class Container {

    private Container() {}

    public static void main(String[] arguments) throws Exception {
      WeakReference<ClassLoader> loader = run(Path.of(arguments[0]));
      for (int i = 0; i < 500 && loader.get() != null; i++) {
        System.gc();
        Thread.sleep(20);
      }
      System.out.println("loader=" + loader.get());
    }

    private static WeakReference<ClassLoader> run(Path folder) throws Exception {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      try (URLClassLoader loader =
          new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
        Object application =
            loader.loadClass(Application.class.getName()).getDeclaredConstructor().newInstance();
        System.out.println(
            "used="
                + application
                    .getClass()
                    .getMethod("apply", Path.class)
                    .invoke(application, folder));
        return new WeakReference<>(loader);
      }
    }
  }

  /**
   * Its caches have been closed, so nothing refers to its classes but what the JDK refers to
   * softly, such as the methods of records.
   */
  @Test
  void nothingKeepsTheClassesOfAnApplicationThatHasClosedItsCache() throws Exception {
    String output =
        BackendJvm.run(
            Map.of(),
            List.of(
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:SoftRefLRUPolicyMSPerMB=0",
                "--enable-native-access=ALL-UNNAMED",
                "-D" + BackendRegistry.PROPERTY + "=" + Fixtures.backend().calls().name()),
            Container.class,
            folder.toRealPath().toString());
    assertTrue(output.contains("used=4"), output);
    assertTrue(output.contains("loader=null"), output);
  }
}
