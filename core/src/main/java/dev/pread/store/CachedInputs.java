/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Makes {@link CachedPreadInput}s: those of a {@link CachedInputProvider} where there is one. */
final class CachedInputs {

  private static final CachedInputProvider PROVIDER = find();

  private CachedInputs() {}

  static CachedPreadInput of(InputFile file) {
    return PROVIDER.create(file);
  }

  private static CachedInputProvider find() {
    try {
      // The loader of this class and not the thread's: inside a server each plugin has its own.
      return ServiceLoader.load(
              CachedInputProvider.class, CachedInputProvider.class.getClassLoader())
          .findFirst()
          .orElse(CachedPreadInput::new);
    } catch (ServiceConfigurationError | LinkageError e) {
      // Class files of a later Java: the backends say what is missing.
      return CachedPreadInput::new;
    }
  }
}
