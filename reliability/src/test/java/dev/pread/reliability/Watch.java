/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.Fixtures;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Tells a test that hangs from one that takes its time. */
final class Watch {

  private Watch() {}

  /** Runs {@code body}; where it does not come back, fails with the stacks of all threads. */
  static <T> T over(String what, Callable<T> body) throws Exception {
    FutureTask<T> task = new FutureTask<>(body);
    Thread thread = new Thread(task, "watched");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (Exception) e.getCause();
    } catch (TimeoutException e) {
      StringBuilder stacks = new StringBuilder(what).append(" hangs:\n");
      for (Map.Entry<Thread, StackTraceElement[]> stack : Thread.getAllStackTraces().entrySet()) {
        stacks.append(stack.getKey()).append('\n');
        for (StackTraceElement frame : stack.getValue()) {
          stacks.append("    at ").append(frame).append('\n');
        }
      }
      throw new AssertionError(stacks.toString(), e);
    }
  }
}
