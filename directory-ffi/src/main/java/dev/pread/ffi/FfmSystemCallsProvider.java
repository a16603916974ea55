/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.BackendUnavailableException;
import dev.pread.posix.SystemCalls;
import dev.pread.posix.SystemCallsProvider;

/**
 * Offers the FFM backend on Linux, x86-64 and aarch64, where native access is allowed.
 *
 * <p>{@link java.util.ServiceLoader} finds this class; applications have no use for it.
 */
public final class FfmSystemCallsProvider implements SystemCallsProvider {

  /** Creates the provider; {@link java.util.ServiceLoader} calls this. */
  public FfmSystemCallsProvider() {}

  @Override
  public String name() {
    return FfmSystemCalls.NAME;
  }

  @Override
  public SystemCalls create() throws BackendUnavailableException {
    LinuxAbi abi = LinuxAbi.current();
    if (abi == null) {
      throw new BackendUnavailableException(
          "it knows Linux on x86-64 and aarch64, and this is "
              + System.getProperty("os.name")
              + " on "
              + System.getProperty("os.arch"));
    }
    try {
      // This links all calls, and shows here, once, whether this process may do so.
      Class.forName(LinuxCalls.class.getName(), true, LinuxCalls.class.getClassLoader());
    } catch (ExceptionInInitializerError e) {
      if (e.getCause() instanceof IllegalCallerException) {
        throw new BackendUnavailableException(
            "native access is denied to "
                + moduleName()
                + "; add it to --enable-native-access ("
                + e.getCause().getMessage()
                + ")",
            e.getCause());
      }
      throw new BackendUnavailableException("libc can't be linked: " + e.getCause(), e.getCause());
    } catch (ClassNotFoundException | LinkageError e) {
      throw new BackendUnavailableException("libc can't be linked: " + e, e);
    }
    return new FfmSystemCalls(abi);
  }

  private static String moduleName() {
    Module module = FfmSystemCallsProvider.class.getModule();
    return module.isNamed() ? "module " + module.getName() : "the class path (ALL-UNNAMED)";
  }
}
