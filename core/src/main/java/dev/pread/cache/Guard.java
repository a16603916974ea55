/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tells a reader whether the memory it has just read from was still what the reader took it for.
 *
 * <p>A guard has a version, which is even while the memory is stable, and odd while it is free or
 * in motion. A reader remembers an even version, loads what it wants from the memory, then calls
 * {@link VarHandle#loadLoadFence} and compares {@link #version}. If it is equal, everything loaded
 * since the version was remembered is right; if not, it may be garbage, which has to be thrown away
 * and looked up again. A reader never writes anything, so there is nothing to release, and a reader
 * that is never heard of again holds up nobody.
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
   * The version. Readers that validate read it plainly, after a load-load fence: the fence forbids
   * the compiler and the processor to read it earlier. It never wraps: at one change per nanosecond
   * that would take centuries.
   */
  long version;

  /** Creates a guard that begins stable or in motion. */
  Guard(boolean stable) {
    version = stable ? 0 : 1;
  }

  /**
   * Returns the current version. Loads that follow this call in program order are performed after
   * the load of the version.
   */
  public final long acquire() {
    return (long) VERSION.getAcquire(this);
  }

  /**
   * Returns whether {@code version} is still the version. A {@link VarHandle#loadLoadFence} has to
   * precede the call.
   */
  public final boolean is(long version) {
    return this.version == version;
  }

  /**
   * Returns whether {@code version} is no longer the version, for threads that wait for a change.
   */
  final boolean hasChangedFrom(long version) {
    return (long) VERSION.getVolatile(this) != version;
  }

  /** Returns whether memory of that version may be read. */
  public static boolean isStable(long version) {
    return (version & 1) == 0;
  }

  /**
   * Changes the version from stable to in motion, if it still is {@code version}. The thread that
   * succeeds owns the memory alone, and all writes that follow come after the change for every
   * reader.
   */
  final boolean tryTake(long version) {
    boolean taken = isStable(version) && VERSION.compareAndSet(this, version, version + 1);
    // The success of the comparison alone does not keep later writes behind the new version.
    VarHandle.storeStoreFence();
    return taken;
  }

  /**
   * Changes the version from in motion to another one in motion. Only the owner may call this, and
   * a thread that waits for a change sees one.
   */
  final void restart() {
    VERSION.setVolatile(this, version + 2);
  }

  /**
   * Changes the version from in motion to stable. Only the owner may call this, and all writes that
   * went before are seen with the new version.
   */
  final void publish() {
    VERSION.setVolatile(this, version + 1);
  }
}
