/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What tells a reader that the memory it has just read from was still what it took it for.
 *
 * <p>A version, even while the memory is stable and odd while it is free or in motion. A reader
 * remembers an even version, loads what it wants from the memory, then calls {@link
 * VarHandle#loadLoadFence} and compares {@link #version}: equal means that everything loaded since
 * the version was remembered is right, anything else that it may be garbage, to be thrown away and
 * looked up again. Nothing is ever written by a reader, so there is nothing to release, and a
 * reader that is never heard of again holds up nobody.
 *
 * <p>This is a sequence lock, as used for buffer management by Leis et al., "LeanStore" (ICDE 2018)
 * and "Virtual-Memory Assisted Buffer Management" (SIGMOD 2023).
 */
public class Guard {

  static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Guard.class, "version", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Read plainly, after a load-load fence, by those who validate: the fence forbids the compiler
   * and the processor to have read it earlier. Never wraps: at one change per nanosecond that takes
   * centuries.
   */
  long version;

  /** A guard that begins stable or in motion. */
  protected Guard(boolean stable) {
    version = stable ? 0 : 1;
  }

  /** The version as of now; what is loaded later is loaded later. */
  public final long acquire() {
    return (long) VERSION.getAcquire(this);
  }

  /**
   * Whether {@code version} is still the version. To be preceded by {@link
   * VarHandle#loadLoadFence}.
   */
  public final boolean is(long version) {
    return this.version == version;
  }

  /** Whether memory of that version may be read. */
  public static boolean isStable(long version) {
    return (version & 1) == 0;
  }

  /**
   * From stable to in motion, if it still has {@code version}: who succeeds owns the memory alone,
   * and all writes that follow come after the change for every reader.
   */
  final boolean tryTake(long version) {
    boolean taken = isStable(version) && VERSION.compareAndSet(this, version, version + 1);
    // The success of the comparison alone does not keep later writes behind the new version.
    VarHandle.storeStoreFence();
    return taken;
  }

  /** From in motion to in motion, by the owner: who waits for a change sees one. */
  final void restart() {
    VERSION.setVolatile(this, version + 2);
  }

  /** From in motion to stable, by the owner: all writes that went before are seen with it. */
  final void publish() {
    VERSION.setVolatile(this, version + 1);
  }
}
