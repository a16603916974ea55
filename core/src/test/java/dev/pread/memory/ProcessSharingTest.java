/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CachedFile;
import dev.pread.posix.Errno;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * How processes below one limit come to equal parts. It runs on backends that can write to a
 * descriptor, by which a process tells the others.
 */
class ProcessSharingTest extends MemoryGovernorTestCase {

  /** Whether what looks see is being changed. */
  private volatile boolean isChanging;

  /** Has another process in the same group say something. */
  private void another(String says) throws IOException {
    Assumptions.assumeTrue(
        calls.write(-1, calls.allocate(1, 1), 0, 1) != -Errno.ENOSYS, "without write(2)");
    kernel.write("proc/thread-self/stat", "9 (java) S 1\n");
    kernel.write("proc/thread-self/comm", "");
    kernel.write("sys/fs/cgroup/pod/cgroup.threads", "77\n");
    kernel.write("proc/77/comm", says + "\n");
  }

  /** Looks that see one of two changes and not the other fail, and nothing is done about them. */
  @Override
  void beforeLook() {
    if (isChanging) {
      throw new IllegalStateException("it is being changed");
    }
  }

  private void awaitTwoLooks() {
    int before = looks.get();
    Fixtures.await("two looks", () -> looks.get() > before + 1);
  }

  @Test
  void whatTheHeapOfAnotherProcessMayStillTakeIsNotFree() throws IOException {
    freeInGroup(20 * MIB);
    another("pread:0006=0001");
    ElasticCache cache = cache();
    awaitTarget(14 * MIB, cache);
    another("");
    awaitTarget(20 * MIB, cache);
  }

  @Test
  void aSmallerProcessThatCouldUseMoreGetsItsPart() throws IOException {
    another("pread:0000=0004");
    CachedFile file = takeAll(MIN);
    missForLooks(50, file);
    assertEquals(0, one.givenBack(), "the other one needs no more");
    another("pread:0000<0004");
    long even = 4 * MIB + RESERVE / 16;
    Fixtures.await("an equal part", () -> one.bytesBacked() <= even);
    missForLooks(50, file);
    assertTrue(one.bytesBacked() > 4 * MIB, one.target() + " is too little");
    long has = one.bytesBacked();
    isChanging = true;
    awaitTwoLooks();
    freeInGroup(RESERVE / 8 * 3);
    another("pread:0000<0002");
    awaitTwoLooks();
    isChanging = false;
    missForLooks(50, file);
    assertEquals(has, one.bytesBacked(), "what is free is for the smaller one");
    another("pread:0000=0002");
    Fixtures.await("the rest", () -> one.target() > has);
  }

  /** It would be for nobody to give back what a larger process has not got from it. */
  @Test
  void aLargerProcessGetsNothing() throws IOException {
    another("pread:0000<00zz");
    CachedFile file = takeAll(MIN);
    missForLooks(50, file);
    assertEquals(0, one.givenBack());
  }
}
