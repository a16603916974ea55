/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/** Makes {@link CachedPreadInput}s. */
final class CachedInputs {

  private CachedInputs() {}

  static PreadIndexInput of(InputFile file) {
    return new CachedPreadInput(file);
  }
}
