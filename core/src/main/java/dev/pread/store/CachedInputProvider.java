/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/**
 * Makes inputs that can do more than {@link CachedPreadInput} can on the oldest Java version this
 * library runs on. {@link java.util.ServiceLoader} finds the implementations.
 */
public interface CachedInputProvider {

  /** Creates the input of a whole file, which its {@code close} closes. */
  CachedPreadInput create(InputFile file);
}
