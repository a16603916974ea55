/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/** A folder with files, and a backend whose calls can be made to fail, for tests of caches. */
abstract class BlockCacheTestCase extends BackendTestCase {

  static final int BLOCK = 4096;

  final byte[] write(String name, int length) throws IOException {
    byte[] data = Fixtures.randomBytes(Fixtures.SEED + length, length);
    Files.write(folder.resolve(name), data);
    return data;
  }

  static void read(PreadDirectory directory, String name, byte[] data) throws IOException {
    try (IndexInput input = directory.openInput(name, IOContext.DEFAULT)) {
      read(input, data);
    }
  }

  static void read(IndexInput input, byte[] data) throws IOException {
    byte[] read = new byte[data.length];
    input.seek(0);
    input.readBytes(read, 0, read.length);
    assertArrayEquals(data, read);
  }

  /** Returns all figures that are not 0, but for those of the memory. */
  static Map<String, Long> figures(BlockCache cache) {
    Map<String, Long> figures = new TreeMap<>(cache.stats().toMap());
    figures.values().removeIf(figure -> figure == 0);
    figures.keySet().removeAll(List.of("capacity", "size_bytes", "memory_bytes"));
    return figures;
  }
}
