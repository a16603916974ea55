/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.store.Access;
import dev.pread.store.CachedInputs;
import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;
import java.lang.reflect.Modifier;
import java.util.stream.Stream;

/**
 * Makes inputs with segments, which read by address, where native access is allowed. With {@code
 * -Ddev.pread.checked=true} their reads check all bounds instead, including those that only a
 * misuse of an input by two threads could exceed.
 *
 * <p>{@link java.util.ServiceLoader} finds this class; applications have no use for it.
 */
public final class SegmentInputs extends CachedInputs {

  private final boolean allowed =
      SegmentInputs.class.getModule().isNativeAccessEnabled() && canMakeSegments();

  /** Creates the maker; {@link java.util.ServiceLoader} calls this. */
  public SegmentInputs() {}

  /**
   * Lucene 9 has the type in the part of its jar that is for Java 21, which a jar that was made of
   * several has lost if nobody took care; and a later Lucene may call what is not here.
   */
  private static boolean canMakeSegments() {
    try {
      return Stream.of(SegmentInput.class.getMethods())
          .noneMatch(method -> Modifier.isAbstract(method.getModifiers()));
    } catch (LinkageError e) {
      return false;
    }
  }

  @Override
  protected CachedPreadInput create(InputFile file) {
    return allowed ? new SegmentInput(file) : super.create(file);
  }

  @Override
  protected Class<? extends CachedPreadInput> type() {
    try {
      return SegmentInputs.class.getModule().isNativeAccessEnabled()
          ? SegmentInput.class
          : super.type();
    } catch (NoClassDefFoundError e) {
      // Lucene's type is missing, as above.
      return super.type();
    }
  }

  @Override
  protected Access access() {
    return allowed && !isChecked() ? new AddressAccess() : super.access();
  }
}
