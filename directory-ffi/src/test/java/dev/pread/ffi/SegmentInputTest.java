/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.PreadDirectory;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MemorySegmentAccessInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is no range of an input is refused with the exceptions of a mapped file's input. */
class SegmentInputTest {

  private static final int LENGTH = 80_000;
  private static final int SLICE = 1000;

  @TempDir Path folder;

  @Test
  void rangesThatNoInputHas() throws Exception {
    Files.write(folder.resolve("f"), new byte[LENGTH]);
    try (PreadDirectory directory = new PreadDirectory(folder)) {
      IndexInput whole = directory.openInput("f", IOContext.DEFAULT);
      IndexInput part = whole.slice("a part", SLICE, SLICE);
      whole.clone().readBytes(new byte[LENGTH], 0, LENGTH);
      for (IndexInput input : new IndexInput[] {whole, part}) {
        MemorySegmentAccessInput segments = (MemorySegmentAccessInput) input;
        long length = input.length();
        assertNotNull(segments.segmentSliceOrNull(length - 1, 1));
        assertNull(segments.segmentSliceOrNull(length, 0));
        for (long beyond : new long[] {1, 2, Long.MAX_VALUE - length}) {
          EOFException e =
              assertThrows(
                  EOFException.class, () -> segments.segmentSliceOrNull(length - 1, beyond + 1));
          assertTrue(e.getMessage().contains(input.toString()), e.getMessage());
          assertThrows(
              EOFException.class, () -> segments.segmentSliceOrNull(length + beyond - 1, 1));
        }
        for (long negative : new long[] {-1, -SLICE, Long.MIN_VALUE}) {
          assertThrows(
              IllegalArgumentException.class, () -> segments.segmentSliceOrNull(negative, 1));
          assertThrows(
              IllegalArgumentException.class, () -> segments.segmentSliceOrNull(1, negative));
        }
      }
      whole.close();
      for (IndexInput input : new IndexInput[] {whole, part}) {
        MemorySegmentAccessInput segments = (MemorySegmentAccessInput) input;
        for (long count : new long[] {-1, 1, LENGTH + 1L}) {
          assertThrows(AlreadyClosedException.class, () -> segments.segmentSliceOrNull(0, count));
        }
      }
    }
  }
}
