/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * Receives what a cache reports to the flight recorder. This class ignores it; {@link
 * JfrCacheEvents} records it if the JVM has a flight recorder, which is a module that small
 * runtimes leave out.
 */
class CacheEvents {

  static final CacheEvents INSTANCE = find();

  CacheEvents() {}

  private static CacheEvents find() {
    try {
      Class.forName("jdk.jfr.Event", false, CacheEvents.class.getClassLoader());
      return new JfrCacheEvents();
    } catch (ClassNotFoundException | LinkageError e) {
      return new CacheEvents();
    }
  }

  /**
   * Reports that a read of a file into the cache begins.
   *
   * @return what has to be given to {@link #readEnds}
   */
  Object readBegins() {
    return null;
  }

  /** Reports that the read has succeeded. */
  void readEnds(Object begun, CachedFile file, int block, long bytes) {}

  /** Reports that a block has entered the cache. */
  void entered(CachedFile file, int block, Slot slot) {}

  /** Reports that a block has been evicted to make room. */
  void evicted(CachedFile file, int block, Slot slot) {}

  /**
   * Reports that memory is about to be given back.
   *
   * @return what has to be given to {@link #returnEnds}
   */
  Object returnBegins() {
    return null;
  }

  /** Reports how much memory has been given back. */
  void returnEnds(Object begun, long bytes, long target, boolean isUrgent) {}
}
