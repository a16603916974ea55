/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.StackReserve;
import dev.pread.posix.Backend;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.PlatformThreads;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScratchPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.lucene.store.AlreadyClosedException;

/**
 * Reads ranges of one file into arrays, from the page cache or, if the file is open for direct I/O,
 * from the device. The bytes go through a scratch buffer, since no call that may wait for the disk
 * can be given an array on the heap, which the garbage collector moves.
 *
 * <p>All positions are bytes from the start of the file, multi-byte values are little-endian, and
 * no alignment is required: the extra bytes that direct I/O needs are read around the range and not
 * copied. Callers keep their ranges within the file; a range that ends beyond it causes an {@link
 * java.io.EOFException}, and a closed file the exception that Lucene expects.
 *
 * <p>This class is thread-safe and does not own the file. It allocates nothing per read, unless a
 * virtual thread waits for the disk, values are not aligned in a file that is read directly, or all
 * buffers of the pool are in use.
 */
public final class FileReader {

  /**
   * Says what a read fills, and copies into it.
   *
   * @param <A> an array, or memory
   */
  interface Kind<A> {
    /** Copies {@code count} elements out of a buffer. */
    void copy(NativeBuffer from, int index, A dst, int offset, int count);

    /** Returns the size of one element in bytes. */
    default int size() {
      return Byte.BYTES;
    }
  }

  /**
   * Reads a range of a file.
   *
   * @param <A> an array
   */
  interface RangeRead<A> {
    /** Reads {@code count} elements at {@code position} into {@code dst[offset...]}. */
    void read(long position, A dst, int offset, int count) throws IOException;
  }

  /** The bytes of memory that is no array. */
  static final Kind<ByteBuffer> MEMORY =
      (from, index, dst, offset, count) -> dst.put(offset, from.bytes(), index, count);

  private final PosixFile file;
  private final ScratchPool scratch;
  private final int alignment;

  /** Creates a reader of {@code file}, which was opened through {@code backend}. */
  public FileReader(Backend backend, PosixFile file) {
    this.file = file;
    this.scratch = backend.scratch();
    this.alignment = file.alignment();
  }

  /** Reads {@code length} bytes at {@code position} into {@code dst[offset...]}. */
  public void readBytes(long position, byte[] dst, int offset, int length) throws IOException {
    read(Elements.BYTES, position, dst, offset, length);
  }

  /**
   * Reads {@code count} elements at {@code position} into {@code dst[offset...]}: bytes that are in
   * the page cache without a scratch buffer, if the backend can do that, and the rest through one.
   */
  <A> void read(Kind<A> kind, long position, A dst, int offset, int count) throws IOException {
    boolean isArray = !(dst instanceof ByteBuffer);
    if (isArray && PlatformThreads.areNeeded() && file.mayWait(position)) {
      readElsewhere((from, to, at, n) -> read(kind, from, to, at, n), position, dst, offset, count);
      return;
    }
    if (dst instanceof byte[] bytes) {
      int resident = file.readResident(position, bytes, offset, count);
      if (resident == count) {
        return;
      }
      position += resident;
      offset += resident;
      count -= resident;
    }
    NativeBuffer buffer = scratch.take((long) count * kind.size(), alignment);
    try {
      while (count > 0) {
        int skip = skip(position);
        int end = (int) Math.min(skip + (long) count * kind.size(), buffer.size());
        file.readFully(position - skip, buffer, end, aligned(end));
        int chunk = (end - skip) / kind.size();
        kind.copy(buffer, skip, dst, offset, chunk);
        position += (long) chunk * kind.size();
        offset += chunk;
        count -= chunk;
      }
    } catch (FileClosedException e) {
      throw new AlreadyClosedException("Already closed: " + file.path(), e);
    } finally {
      scratch.give(buffer);
    }
  }

  /**
   * Has a platform thread read a range for this one, with the buffer that it takes: thousands of
   * virtual threads may wait. Spare memory of a cache is not read so, since there is not enough for
   * all of them.
   */
  static <A> void readElsewhere(RangeRead<A> read, long position, A dst, int offset, int count)
      throws IOException {
    StackReserve.ensure();
    A ignored =
        PlatformThreads.make(
            () -> {
              read.read(position, dst, offset, count);
              return dst;
            });
  }

  /** Returns how many bytes before {@code position} have to be read, too, for the alignment. */
  private int skip(long position) {
    return (int) (position & (alignment - 1));
  }

  /** Returns how many bytes have to be asked for so that {@code end} of them are read. */
  private int aligned(int end) {
    return (end + alignment - 1) & -alignment;
  }
}
