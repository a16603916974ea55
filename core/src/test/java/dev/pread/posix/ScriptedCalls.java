/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/** System calls of which a test makes some up. */
@FunctionalInterface
public interface ScriptedCalls {

  /**
   * Does a call's work, or returns null so that the call is made.
   *
   * @param arguments of the call, which may be changed
   */
  Object instead(String name, Object[] arguments);

  /** Returns calls that ask a script first. */
  static SystemCalls of(SystemCalls calls, ScriptedCalls script) {
    return (SystemCalls)
        Proxy.newProxyInstance(
            ScriptedCalls.class.getClassLoader(),
            new Class<?>[] {SystemCalls.class},
            (proxy, method, arguments) -> {
              Object result = script.instead(method.getName(), arguments);
              try {
                return result == null ? method.invoke(calls, arguments) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Returns calls of which the one that asks for memory after so many pieces fails. */
  public static SystemCalls withMemoryFor(AtomicInteger pieces, SystemCalls calls) {
    return of(
        calls,
        (name, arguments) -> {
          if (name.equals("allocate") && pieces.getAndDecrement() == 0) {
            throw new OutOfMemoryError("by script");
          }
          return null;
        });
  }
}
