/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CachedFile;
import dev.pread.cache.SlotCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How the caches of a process come to equal parts. */
class MemorySharingTest extends MemoryGovernorTestCase {

  /** What the caches have of it they have taken, once it is more than nothing. */
  private volatile long shared;

  /** Says what is free when the caches have all the rest, as the kernel does. */
  @Override
  void beforeLook() {
    if (shared > 0) {
      try {
        freeInGroup(shared - caches.stream().mapToLong(SlotCache::bytesBacked).sum());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Reads more than two caches have room for, until they differ by no more than they may. */
  private static void missUntilEven(ElasticCache one, ElasticCache two, CachedFile... files)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int block = 0; one.bytesBacked() - two.bytesBacked() > RESERVE / 16; block++) {
      for (CachedFile file : files) {
        missOnce(file, block);
      }
      assertTrue(System.nanoTime() < deadline, () -> one.target() + ", " + two.target());
    }
  }

  @Test
  void aLateOneGetsItsPart() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(MIN + MIB, MAX);
    assertEquals(MIN + MIB, two.target(), "so that the two can't have the same");
    CachedFile second = open(two, LARGE);
    shared = 20 * MIB + MIN + MIB;
    missUntilEven(one, two, first, second);
    missForLooks(50, first, second);
    long has = two.bytesBacked();
    long had = one.bytesBacked();
    assertTrue(20 * MIB - had <= one.givenBack(), "what it has no more it has given back");
    assertTrue(has - MIN - MIB <= one.givenBack(), "what one gets another has given");
    assertTrue(has > 8 * MIB, had + ", " + has);
    long givenBack = one.givenBack() + two.givenBack();
    missForLooks(50, first, second);
    missForLooks(50, first);
    missForLooks(50, second);
    assertEquals(has, two.bytesBacked());
    assertEquals(had, one.bytesBacked());
    assertEquals(givenBack, one.givenBack() + two.givenBack(), "nothing swings");
  }

  @Test
  void aSmallDifferenceStays() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(17 * MIB, MAX);
    fill(two, 17 * MIB);
    CachedFile more = open(two, LARGE);
    missForLooks(50, first, more);
    assertEquals(0, one.givenBack());
    assertEquals(17 * MIB, two.target());
  }

  @Test
  void oneThatWantsNoMoreGetsNoMore() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache();
    fill(two, MIN);
    missForLooks(50, first);
    assertEquals(MIN, two.target());
    assertEquals(20 * MIB, one.target());
    assertEquals(0, one.givenBack());
  }

  @Test
  void oneThatMayNotShrinkGivesNothing() throws IOException {
    CachedFile first = takeAll(20 * MIB);
    ElasticCache two = cache();
    CachedFile second = open(two, LARGE);
    missForLooks(50, first, second);
    assertEquals(MIN, two.bytesBacked());
    freeInGroup(20 * MIB);
    ElasticCache three = cache(MIN, 16 * MIB);
    fill(three, 16 * MIB);
    freeInGroup(0);
    missUntilEven(three, two, second);
    assertEquals(20 * MIB, one.bytesBacked());
  }

  /** The largest gives to the smallest, and the one between the two has what it had. */
  @Test
  void threeShare() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(12 * MIB, MAX);
    fill(two, 12 * MIB);
    ElasticCache three = cache();
    CachedFile third = open(three, LARGE);
    missUntilEven(one, three, first, third);
    missForLooks(50, first, third);
    assertEquals(12 * MIB, two.bytesBacked());
    // Where they differ by no more than they may, nothing moves, and it had its least before.
    assertTrue(one.bytesBacked() - three.bytesBacked() <= RESERVE / 16, one.target() + " to it");
    assertTrue(three.bytesBacked() > MIN, three.target() + " of " + one.target());
  }

  /** What is free is for all, and nobody has to give before it is gone. */
  @Test
  void nobodyGivesWhileThereIsMemory() throws IOException {
    CachedFile ignored = takeAll(MIN);
    ElasticCache two = cache(MIN, 8 * MIB);
    CachedFile second = open(two, LARGE);
    freeInGroup(RESERVE / 2);
    missForLooks(50, second);
    assertEquals(8 * MIB, two.bytesBacked());
    freeInGroup(0);
    missForLooks(50, second);
    assertEquals(0, one.givenBack(), "it has all that it may have");
  }

  /** For none of many it is a page, but whoever takes another one leaves less for the rest. */
  @Test
  void nobodyGivesWhileThereIsALittleForAll() throws IOException {
    CachedFile ignored = takeAll(MIN);
    ElasticCache two = cache();
    CachedFile second = open(two, LARGE);
    for (int i = 0; i < 14; i++) {
      cache();
    }
    freeInGroup(12 * MIB);
    missForLooks(50, second);
    assertEquals(MIN, two.bytesBacked());
    assertEquals(0, one.givenBack());
    freeInGroup(0);
    missUntilEven(one, two, second);
  }
}
