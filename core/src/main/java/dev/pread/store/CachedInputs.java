/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.nio.ByteOrder;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Makes {@link CachedPreadInput}s that can do more than is possible on the oldest Java version this
 * library runs on. {@link ServiceLoader} finds the implementation.
 */
public class CachedInputs {

  private static final CachedInputs BEST = find();

  /** Creates a maker of the plain inputs. */
  protected CachedInputs() {}

  /** Creates the input of a whole file, which its {@code close} closes. */
  protected CachedPreadInput create(InputFile file) {
    return new CachedPreadInput(file);
  }

  /** Returns the type of the inputs, also where Lucene can't use them and it makes others. */
  protected Class<? extends CachedPreadInput> type() {
    return CachedPreadInput.class;
  }

  /**
   * Returns how all inputs that it makes load values: on Java 21 by address, where that is allowed.
   */
  protected Access access() {
    // Later versions warn of what this calls.
    if (Runtime.version().feature() == 21
        && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        && !isChecked()) {
      try {
        return new UnsafeAccess();
      } catch (LinkageError e) {
        // A security policy or a missing module denies it.
        return new BufferAccess();
      }
    }
    return new BufferAccess();
  }

  /** Returns whether all reads have to check their bounds. */
  protected static boolean isChecked() {
    return Boolean.getBoolean("dev.pread.checked");
  }

  static CachedInputs best() {
    return BEST;
  }

  private static CachedInputs find() {
    try {
      // This class's loader is used, not the thread's: inside a server each plugin has its own.
      return ServiceLoader.load(CachedInputs.class, CachedInputs.class.getClassLoader())
          .findFirst()
          .orElseGet(CachedInputs::new);
    } catch (ServiceConfigurationError | LinkageError e) {
      // The class files are of a later Java version: the backends say what is missing.
      return new CachedInputs();
    }
  }
}
