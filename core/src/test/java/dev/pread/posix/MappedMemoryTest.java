/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.posix.MappedMemory.MemoryAdvice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which advice memory is given, by kernels that this build does not run on. */
class MappedMemoryTest {

  private static final long MIB = 1 << 20;

  /** A kernel whose pages have a size, and that refuses some calls. */
  private static final class Kernel extends MappedMemory {
    private final long pageBytes;
    private final int refusal;
    private final List<MemoryAdvice> given = new ArrayList<>();

    /**
     * Creates a kernel.
     *
     * @param refusal what it answers to all advice that is not given wrongly: 0, or a negative
     *     errno
     */
    Kernel(long pageBytes, int refusal) {
      this.pageBytes = pageBytes;
      this.refusal = refusal;
    }

    @Override
    protected long mmap(long length) {
      return 7 * MIB + pageBytes;
    }

    @Override
    protected void munmap(long address, long length) {}

    @Override
    protected int madvise(long address, long length, MemoryAdvice advice) {
      if (address % pageBytes != 0) {
        return -Errno.EINVAL;
      }
      if (length > 0) {
        given.add(advice);
      }
      return refusal;
    }

    @Override
    protected ByteBuffer buffer(long address, int size) {
      return ByteBuffer.allocate(size);
    }

    @Override
    public long address(ByteBuffer memory) {
      throw new AssertionError();
    }
  }

  @ParameterizedTest
  @CsvSource({"4096, HUGE_PAGES", "16384, NO_HUGE_PAGES", "65536, NO_HUGE_PAGES"})
  void hugePagesAreAskedForWhereTheyHaveTwoMebibytes(long pageBytes, MemoryAdvice advice) {
    Kernel kernel = new Kernel(pageBytes, 0);
    assertEquals(5000, kernel.map(5000).capacity());
    assertEquals(List.of(advice, MemoryAdvice.NOT_INHERITED), kernel.given);
  }

  /** A sandbox may refuse all advice, which says nothing of pages. */
  @Test
  void aRefusalIsNotTakenForLargePages() {
    for (int refusal : new int[] {-Errno.EPERM, -Errno.ENOSYS, -Errno.ENOMEM}) {
      Kernel kernel = new Kernel(4096, refusal);
      assertEquals(5000, kernel.map(5000).capacity());
      assertEquals(List.of(MemoryAdvice.HUGE_PAGES, MemoryAdvice.NOT_INHERITED), kernel.given);
    }
  }
}
