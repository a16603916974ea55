/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.store.CachedInputProvider;
import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;

/**
 * Offers {@link SegmentInput}s where native access is allowed.
 *
 * <p>Found by {@link java.util.ServiceLoader}; applications have no use for it.
 */
public final class SegmentInputProvider implements CachedInputProvider {

  private final boolean allowed = SegmentInputProvider.class.getModule().isNativeAccessEnabled();

  /** For {@link java.util.ServiceLoader}. */
  public SegmentInputProvider() {}

  @Override
  public CachedPreadInput create(InputFile file) {
    return allowed ? new SegmentInput(file) : new SegmentlessInput(file);
  }

  /** Without segments. */
  private static final class SegmentlessInput extends CachedPreadInput {
    SegmentlessInput(InputFile file) {
      super(file);
    }
  }
}
