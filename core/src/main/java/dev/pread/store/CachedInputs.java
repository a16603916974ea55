/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Makes {@link CachedPreadInput}s: those of a {@link CachedInputProvider} if there is one. */
final class CachedInputs {

  private static final CachedInputProvider PROVIDER = find();

  private CachedInputs() {}

  static CachedPreadInput of(InputFile file) {
    return PROVIDER.create(file);
  }

  private static CachedInputProvider find() {
    try {
      // This class's loader is used, not the thread's: inside a server each plugin has its own.
      return ServiceLoader.load(
              CachedInputProvider.class, CachedInputProvider.class.getClassLoader())
          .findFirst()
          .orElse(CachedPreadInput::new);
    } catch (ServiceConfigurationError | LinkageError e) {
      // The class files are of a later Java version: the backends say what is missing.
      return CachedPreadInput::new;
    }
  }
}
