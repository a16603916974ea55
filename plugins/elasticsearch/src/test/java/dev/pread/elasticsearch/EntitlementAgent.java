/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.lang.instrument.Instrumentation;

/**
 * Takes the place of the server's own agent, which is in no Maven artifact, and hands the JVM's
 * instrumentation to the server's entitlements. The server loads it by itself.
 */
public final class EntitlementAgent {

  private EntitlementAgent() {}

  /**
   * Hands the instrumentation on, as the JVM gives it to an agent.
   *
   * @param initialization the name of the class that wants it
   */
  public static void agentmain(String initialization, Instrumentation instrumentation)
      throws ReflectiveOperationException {
    Class.forName(initialization)
        .getMethod("initialize", Instrumentation.class)
        .invoke(null, instrumentation);
  }
}
