/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.block;

import dev.pread.posix.Backend;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.PosixFile;
import dev.pread.posix.Residency;
import dev.pread.posix.ScratchPool;
import java.io.IOException;

/**
 * Reads ranges of one file into arrays, through the page cache and a scratch buffer.
 *
 * <p>All positions are bytes from the start of the file, multi-byte values are little-endian, and
 * no alignment is asked for. Callers keep their ranges within the file; a range that ends beyond it
 * is an {@link java.io.EOFException}.
 *
 * <p>Thread-safe; allocates nothing per read. Does not own the file.
 */
public final class PageCacheReader {

  private final PosixFile file;
  private final ScratchPool scratch;

  /** A reader of {@code file}, which was opened through {@code backend}. */
  public PageCacheReader(Backend backend, PosixFile file) {
    this.file = file;
    this.scratch = backend.scratch();
  }

  /** Reads {@code length} bytes at {@code position} into {@code dst[offset...]}. */
  public void readBytes(long position, byte[] dst, int offset, int length) throws IOException {
    NativeBuffer buffer = scratch.take();
    try {
      while (length > 0) {
        int chunk = Math.min(length, ScratchPool.BUFFER_SIZE);
        file.readFully(position, buffer, 0, chunk);
        buffer.get(0, dst, offset, chunk);
        position += chunk;
        offset += chunk;
        length -= chunk;
      }
    } finally {
      scratch.give(buffer);
    }
  }

  /** Reads {@code length} longs at {@code position} into {@code dst[offset...]}. */
  public void readLongs(long position, long[] dst, int offset, int length) throws IOException {
    NativeBuffer buffer = scratch.take();
    try {
      while (length > 0) {
        int chunk = Math.min(length, ScratchPool.BUFFER_SIZE / Long.BYTES);
        file.readFully(position, buffer, 0, chunk * Long.BYTES);
        buffer.getLongs(dst, offset, chunk);
        position += (long) chunk * Long.BYTES;
        offset += chunk;
        length -= chunk;
      }
    } finally {
      scratch.give(buffer);
    }
  }

  /** Reads {@code length} ints at {@code position} into {@code dst[offset...]}. */
  public void readInts(long position, int[] dst, int offset, int length) throws IOException {
    NativeBuffer buffer = scratch.take();
    try {
      while (length > 0) {
        int chunk = Math.min(length, ScratchPool.BUFFER_SIZE / Integer.BYTES);
        file.readFully(position, buffer, 0, chunk * Integer.BYTES);
        buffer.getInts(dst, offset, chunk);
        position += (long) chunk * Integer.BYTES;
        offset += chunk;
        length -= chunk;
      }
    } finally {
      scratch.give(buffer);
    }
  }

  /** Reads {@code length} floats at {@code position} into {@code dst[offset...]}. */
  public void readFloats(long position, float[] dst, int offset, int length) throws IOException {
    NativeBuffer buffer = scratch.take();
    try {
      while (length > 0) {
        int chunk = Math.min(length, ScratchPool.BUFFER_SIZE / Float.BYTES);
        file.readFully(position, buffer, 0, chunk * Float.BYTES);
        buffer.getFloats(dst, offset, chunk);
        position += (long) chunk * Float.BYTES;
        offset += chunk;
        length -= chunk;
      }
    } finally {
      scratch.give(buffer);
    }
  }

  /** Whether the byte at {@code position} is in the page cache. */
  public Residency residency(long position) throws IOException {
    NativeBuffer buffer = scratch.take();
    try {
      return file.residency(position, buffer);
    } finally {
      scratch.give(buffer);
    }
  }
}
