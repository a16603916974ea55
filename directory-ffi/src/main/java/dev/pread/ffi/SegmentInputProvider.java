/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.store.CachedInputProvider;
import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;

/**
 * Offers inputs with segments, which read by address, where native access is allowed. With {@code
 * -Ddev.pread.checked=true} their reads check all bounds instead, including those that only a
 * misuse of an input by two threads could exceed.
 *
 * <p>{@link java.util.ServiceLoader} finds this class; applications have no use for it.
 */
public final class SegmentInputProvider implements CachedInputProvider {

  private final boolean allowed = SegmentInputProvider.class.getModule().isNativeAccessEnabled();
  private final boolean checked = Boolean.getBoolean("dev.pread.checked");

  /** Creates the provider; {@link java.util.ServiceLoader} calls this. */
  public SegmentInputProvider() {}

  @Override
  public CachedPreadInput create(InputFile file) {
    if (!allowed) {
      return new SegmentlessInput(file);
    }
    return checked ? new SegmentInput(file) : new AddressInput(file);
  }

  /** An input without segments. */
  private static final class SegmentlessInput extends CachedPreadInput {
    SegmentlessInput(InputFile file) {
      super(file);
    }
  }
}
