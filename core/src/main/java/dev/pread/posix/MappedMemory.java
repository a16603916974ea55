/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Implements {@link SystemCalls#map}, {@link SystemCalls#discard} and {@link SystemCalls#populate}
 * for backends that can call {@code mmap(2)}: it decides where memory starts, that it is lazy, and
 * when it is unmapped. Backends supply the calls.
 *
 * <p>The range that is mapped first is longer than the requested one by the alignment, and the
 * excess at both ends is unmapped again, because {@code mmap} itself aligns to pages only.
 *
 * <p>It is thread-safe.
 */
public abstract class MappedMemory {

  /** The alignment of memory: the size of a huge page where pages have 4 KiB. */
  private static final long ALIGNMENT = 2L << 20;

  /**
   * The largest page size on either architecture: a multiple of it is a multiple of every page
   * size.
   */
  private static final long LARGEST_PAGE = 64 << 10;

  /** The smallest page size on either architecture. */
  private static final long SMALLEST_PAGE = 4 << 10;

  /**
   * It is made with the backend and not by whoever reads first: a server with a security manager
   * may let the former start its thread, and not the latter.
   */
  static final Cleaner CLEANER = Cleaner.create();

  /** The advice that is given about memory. */
  public enum MemoryAdvice {
    /** {@code MADV_HUGEPAGE}. */
    HUGE_PAGES(14),
    /** {@code MADV_NOHUGEPAGE}. */
    NO_HUGE_PAGES(15),
    /**
     * {@code MADV_DONTFORK}: a child process that is forked without {@code exec} does not get the
     * memory. Otherwise both would share its pages until one of them writes, and the page that the
     * writer gets is the copy: what the device writes in the meantime may be lost to the cache.
     */
    NOT_INHERITED(10),
    /** {@code MADV_DONTNEED}. */
    DISCARD(4),
    /** {@code MADV_POPULATE_WRITE}. */
    POPULATE(23);

    private final int number;

    MemoryAdvice(int number) {
      this.number = number;
    }

    /** Returns the number that Linux knows it by, on x86-64 and aarch64. */
    public int number() {
      return number;
    }
  }

  /** Creates the memory of a backend. */
  protected MappedMemory() {}

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/mmap.2.html">mmap(2)</a> for memory that
   * is readable, writable, private, anonymous and {@code MAP_NORESERVE}.
   *
   * @return the address, or a negative errno
   */
  protected abstract long mmap(long length);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/munmap.2.html">munmap(2)</a>. It fails
   * only where the kernel can't split a mapping; the range then stays mapped.
   */
  protected abstract void munmap(long address, long length);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2)</a>.
   *
   * @return 0, or a negative errno
   */
  protected abstract int madvise(long address, long length, MemoryAdvice advice);

  /**
   * Returns a buffer over mapped memory, to which all slices, duplicates and views made of it
   * refer: its reachability decides when the memory is unmapped.
   */
  protected abstract ByteBuffer buffer(long address, int size);

  /** Returns the address of a direct buffer's first byte, whatever its position. */
  public abstract long address(ByteBuffer memory);

  /** Unmaps a range. It has no reference to the buffer, which it would keep reachable. */
  private record Unmapping(MappedMemory calls, long address, long length) implements Runnable {
    @Override
    public void run() {
      calls.unmap(address, length);
    }
  }

  /** Implements {@link SystemCalls#map}. */
  public final ByteBuffer map(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("at least one byte has to be mapped, got " + size);
    }
    long length = Math.ceilDiv((long) size, LARGEST_PAGE) * LARGEST_PAGE;
    long start = mmap(length + ALIGNMENT);
    if (start < 0) {
      throw new NoNativeMemoryError(
          "mmap of "
              + size
              + " bytes ("
              + (length + ALIGNMENT)
              + " with the room to align them) failed with "
              + Errno.describe((int) -start)
              + ": ask for less, or raise what limits this process's address space (ulimit -v,"
              + " vm.overcommit_memory, vm.max_map_count)");
    }
    long address = Math.ceilDiv(start, ALIGNMENT) * ALIGNMENT;
    // The excess at both ends is unmapped. Where that fails it stays, unused and without memory
    // behind it.
    unmap(start, address - start);
    unmap(address + length, start + ALIGNMENT - address);
    try {
      // This is only advice: without huge pages memory is slower but not wrong, and whoever forks a
      // JVM process without exec has worse to fear.
      int ignored = madvise(address, length, hugePageAdvice(address));
      ignored = madvise(address, length, MemoryAdvice.NOT_INHERITED);
      ByteBuffer buffer = buffer(address, size);
      CLEANER.register(buffer, new Unmapping(this, address, length));
      return buffer.order(ByteOrder.LITTLE_ENDIAN);
    } catch (Throwable t) {
      unmap(address, length);
      throw t;
    }
  }

  /**
   * Returns the advice on huge pages for this memory. Where pages have 16 or 64 KiB, a huge page
   * has 32 or 512 MiB, and touching one byte would take all of it, while a cache counts 2 MiB. The
   * page size shows in whether the kernel accepts an address 4 KiB further on: it answers {@code
   * EINVAL} to one that does not begin a page, even if the length is 0.
   */
  private MemoryAdvice hugePageAdvice(long address) {
    return madvise(address + SMALLEST_PAGE, 0, MemoryAdvice.NOT_INHERITED) == -Errno.EINVAL
        ? MemoryAdvice.NO_HUGE_PAGES
        : MemoryAdvice.HUGE_PAGES;
  }

  /** Implements {@link SystemCalls#discard}. */
  public final int discard(ByteBuffer mapped) {
    return advise(mapped, MemoryAdvice.DISCARD);
  }

  /** Implements {@link SystemCalls#populate}. */
  public final int populate(ByteBuffer mapped) {
    return advise(mapped, MemoryAdvice.POPULATE);
  }

  private int advise(ByteBuffer mapped, MemoryAdvice advice) {
    try {
      return madvise(address(mapped), mapped.capacity(), advice);
    } finally {
      Reference.reachabilityFence(mapped);
    }
  }

  private void unmap(long address, long length) {
    if (length > 0) {
      munmap(address, length);
    }
  }
}
