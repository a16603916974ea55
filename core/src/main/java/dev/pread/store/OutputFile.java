/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.LargeBuffers;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScratchPool;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * A file that is written once, from its beginning to its end.
 *
 * <p><b>Direct I/O.</b> What is written is padded with zeros to whole blocks.
 *
 * <p><b>Write-behind.</b> What is written through the page cache is memory that nobody else can
 * have before it is on the device, and the kernel leaves it there for half a minute. A merge that
 * writes fast so takes the memory of the block cache it reads from. When memory is short, the
 * kernel is therefore told to begin, a stretch at a time, without waiting for the device. {@code
 * sync_file_range(2)} is the call that is meant for that; {@code posix_fadvise(DONTNEED)} does the
 * same on Linux. It also takes pages that are clean already out of the page cache, so that what is
 * read again soon comes from the device then.
 *
 * <p>This class is not thread-safe. It owns the file.
 */
public final class OutputFile implements Closeable {

  /** How much is written before the kernel is told to begin: enough to keep a device busy. */
  static final int WRITE_BEHIND_SIZE = 2 << 20;

  /** What is collected for a direct write, in bytes: no large object in any collector's heap. */
  public static final int DIRECT_WRITE_SIZE = 256 << 10;

  private final PosixFile file;
  private final ScratchPool scratch;
  private final LargeBuffers large;
  private final BooleanSupplier isShortOfMemory;

  /** Before this position the kernel has been told to begin, or there was no need to. */
  private long behind;

  /**
   * Creates an instance.
   *
   * @param file an empty file, which the instance owns from now on
   * @param isShortOfMemory says whether somebody else wants the memory of what has been written
   */
  public OutputFile(Backend backend, PosixFile file, BooleanSupplier isShortOfMemory) {
    this.file = file;
    this.scratch = backend.scratch();
    this.large = file.isDirect() ? backend.large() : null;
    this.isShortOfMemory = isShortOfMemory;
  }

  /** Returns the path, for messages. */
  Path path() {
    return file.path();
  }

  /** Writes bytes, which begin where the last ones have ended. */
  void write(long position, byte[] src, int offset, int count) throws IOException {
    NativeBuffer chunks = null;
    boolean isLarge = false;
    try {
      if (large != null && count > ScratchPool.BUFFER_SIZE) {
        chunks = large.take();
        isLarge = chunks != null;
      }
      if (chunks == null) {
        chunks = scratch.take(count, file.alignment());
      }
      while (count > 0) {
        int chunk = Math.min(count, chunks.size());
        chunks.put(0, src, offset, chunk);
        file.writeFully(position, chunks, 0, padded(chunks, chunk));
        position += chunk;
        offset += chunk;
        count -= chunk;
        writeBehind(position);
      }
    } finally {
      if (isLarge) {
        large.give(chunks);
      } else if (chunks != null) {
        scratch.give(chunks);
      }
    }
  }

  /** Pads the last block with zeros if blocks have to be whole, and returns the new length. */
  private int padded(NativeBuffer chunks, int length) {
    int end = (length + file.alignment() - 1) & -file.alignment();
    for (int i = length; i < end; i++) {
      chunks.bytes().put(i, (byte) 0);
    }
    return end;
  }

  private void writeBehind(long end) {
    if (end - behind >= WRITE_BEHIND_SIZE && !file.isDirect()) {
      if (isShortOfMemory.getAsBoolean()) {
        boolean ignored = file.advise(behind, end - behind, Advice.DONTNEED);
      }
      behind = end;
    }
  }

  /** Cuts off what has been written beyond a length to fill the last block. */
  void truncatePadding(long length) throws IOException {
    if (file.isDirect() && length % file.alignment() != 0) {
      file.truncate(length);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
