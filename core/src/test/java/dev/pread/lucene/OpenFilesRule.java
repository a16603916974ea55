/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import static org.junit.Assert.assertEquals;

import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Fails a test that leaves a native descriptor open. {@code MockDirectoryWrapper} counts inputs and
 * outputs; it can't see what lies below them.
 */
public final class OpenFilesRule implements TestRule {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  @Override
  public Statement apply(Statement base, Description description) {
    return new Statement() {
      @Override
      public void evaluate() throws Throwable {
        Backend backend = BackendRegistry.get(BackendRegistry.configured());
        long before = backend.openFiles();
        base.evaluate();
        // A prefetch that is under way keeps its file for as long as that read takes.
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (backend.openFiles() > before && System.nanoTime() - deadline < 0) {
          Thread.sleep(1);
        }
        assertEquals("open files after " + description, before, backend.openFiles());
      }
    };
  }
}
