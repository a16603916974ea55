/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.store.Access;
import dev.pread.store.CachedInputs;
import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;
import java.lang.foreign.MemorySegment;
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

  private final boolean isNativeAccessAllowed = tryNativeAccess();

  private final boolean allowed = isNativeAccessAllowed && canMakeSegments();

  /** Creates the maker; {@link java.util.ServiceLoader} calls this. */
  public SegmentInputs() {}

  /**
   * Returns whether this module may make segments of any memory. Where nobody has said so on the
   * command line, the JVM allows it on the first try, with a warning, or says nothing and never
   * lists the module as allowed. So the only way to find out is to try, which the backend does,
   * too, on the systems it is for.
   */
  @SuppressWarnings("restricted")
  private static boolean tryNativeAccess() {
    if (SegmentInputs.class.getModule().isNativeAccessEnabled()) {
      return true;
    }
    if (LinuxAbi.current() == null) {
      return false;
    }
    try {
      return MemorySegment.NULL.reinterpret(1).byteSize() == 1;
    } catch (IllegalCallerException e) {
      return false;
    }
  }

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
      return isNativeAccessAllowed ? SegmentInput.class : super.type();
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
