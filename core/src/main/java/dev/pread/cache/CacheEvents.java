/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * What a cache tells the flight recorder. This class says nothing: {@link JfrCacheEvents} does,
 * where the JVM has a flight recorder, which is a module that small runtimes leave out.
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
   * A read of a file into the cache begins.
   *
   * @return what {@link #readEnds} is to be given
   */
  Object readBegins() {
    return null;
  }

  /** It has succeeded. */
  void readEnds(Object begun, CachedFile file, int block, long bytes) {}

  /** A block has entered the cache. */
  void entered(CachedFile file, int block, Slot slot) {}

  /** A block has left the cache to make room. */
  void evicted(CachedFile file, int block, Slot slot) {}
}
