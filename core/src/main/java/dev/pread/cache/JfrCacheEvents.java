/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/** As events of the flight recorder. */
final class JfrCacheEvents extends CacheEvents {

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
    EntryEvent.emit(file, block, slot);
  }

  @Override
  void evicted(CachedFile file, int block, Slot slot) {
    EvictionEvent.emit(file, block, slot);
  }
}
