/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.MethodHandles;

/** Passes what happens in a cache to the flight recorder, as events. */
final class JfrCacheEvents extends CacheEvents {

  /**
   * Initializes the event classes now. Where that fails for want of stack, it can't be repeated.
   */
  JfrCacheEvents() {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      lookup.ensureInitialized(MissEvent.class);
      lookup.ensureInitialized(ReturnEvent.class);
      lookup.ensureInitialized(BlockEvent.Entry.class);
      lookup.ensureInitialized(BlockEvent.Eviction.class);
    } catch (IllegalAccessException e) {
      throw new AssertionError("of this package", e);
    }
  }

  @Override
  Object readBegins() {
    return MissEvent.start();
  }

  @Override
  void readEnds(Object begun, CachedFile file, int block, long bytes) {
    ((MissEvent) begun).end(file, block, bytes);
  }

  @Override
  void entered(CachedFile file, int block, Slot slot) {
    new BlockEvent.Entry().emit(file, block, slot);
  }

  @Override
  void evicted(CachedFile file, int block, Slot slot) {
    new BlockEvent.Eviction().emit(file, block, slot);
  }

  @Override
  Object returnBegins() {
    return ReturnEvent.start();
  }

  @Override
  void returnEnds(Object begun, long bytes, long target, boolean isUrgent) {
    ((ReturnEvent) begun).end(bytes, target, isUrgent);
  }
}
