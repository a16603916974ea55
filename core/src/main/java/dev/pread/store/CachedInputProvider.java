/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/**
 * Makes inputs with more than {@link CachedPreadInput} can do on the oldest Java this library runs
 * on. Found by {@link java.util.ServiceLoader}.
 */
public interface CachedInputProvider {

  /** The input of a whole file, which its {@code close} closes. */
  CachedPreadInput create(InputFile file);
}
