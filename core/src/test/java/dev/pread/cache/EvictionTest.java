/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.EvictionShard.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link EvictionShard} lets go, in which order. */
class EvictionTest {

  private final SlotCache cache = CacheFixtures.cache(64, 6);
  private final CachedFile file = cache.files().open(null, "f", 1 << 20);

  /** Keeps a view reachable. */
  private Object looking;

  /** Returns a published slot that holds {@code block}, in {@code shard}. */
  private Slot add(EvictionShard shard, int block) {
    return add(shard, block, Reason.READ);
  }

  private Slot add(EvictionShard shard, int block, Reason reason) {
    Slot slot = new Slot(block);
    slot.owner = file;
    slot.block = block;
    shard.add(slot, file.hash(block), reason);
    slot.publish();
    return slot;
  }

  /** Takes a slot for a block that somebody reads. */
  private static Slot evict(EvictionShard shard) {
    return shard.evict(false);
  }

  private static List<Integer> evictAll(EvictionShard shard) {
    List<Integer> order = new ArrayList<>();
    for (Slot slot = evict(shard); slot != null; slot = evict(shard)) {
      assertFalse(Guard.isStable(slot.version));
      order.add(slot.block);
    }
    return order;
  }

  private static void use(Slot slot, int times) {
    for (int i = 0; i < times; i++) {
      slot.touch();
    }
  }

  /**
   * The order was worked out by hand. Five slots are in the small queue, B and D used twice, E
   * once: A goes, B moves to the main queue, C goes (1 in main, 3 in small). D moves to main, E
   * goes, and main is left, oldest first.
   */
  @Test
  void blocksUsedAgainOutliveTheOthers() {
    EvictionShard shard = new EvictionShard(1024);
    add(shard, 0);
    use(add(shard, 1), 2);
    add(shard, 2);
    use(add(shard, 3), 2);
    use(add(shard, 4), 1);
    assertEquals(List.of(0, 2, 4, 1, 3), evictAll(shard));
    assertNull(evict(shard));
  }

  /** In the main queue each use is a round more; three count. */
  @Test
  void eachUseInTheMainQueueBuysARound() {
    EvictionShard shard = new EvictionShard(1024);
    List<Slot> slots = new ArrayList<>();
    for (int block = 0; block < 4; block++) {
      slots.add(add(shard, block));
      use(slots.get(block), 2);
    }
    add(shard, 4);
    // This moves the four to the main queue, with no uses left.
    assertEquals(4, evict(shard).block);
    use(slots.get(0), 100);
    use(slots.get(1), 2);
    use(slots.get(2), 1);
    assertEquals(List.of(3, 2, 1, 0), evictAll(shard));
  }

  /** With millions of slots a walk past all of them would hold up whoever misses. */
  @ParameterizedTest
  @EnumSource(names = {"READ", "KNOWN"})
  void whereAllBlocksAreUsedOneGoesBeforeAllHaveBeenLookedAt(Reason reason) {
    int count = 4 * EvictionShard.MAX_SPARED;
    EvictionShard shard = new EvictionShard(count);
    List<Slot> slots = new ArrayList<>();
    for (int block = 0; block < count; block++) {
      slots.add(add(shard, block, reason));
      use(slots.get(block), Slot.MAX_USES);
    }
    assertEquals(EvictionShard.MAX_SPARED, evict(shard).block);
    long passed = slots.stream().filter(slot -> slot.uses < Slot.MAX_USES).count();
    assertEquals(EvictionShard.MAX_SPARED, passed);
    // The walk goes on where it has ended.
    assertEquals(2 * EvictionShard.MAX_SPARED + 1, evict(shard).block);
  }

  /** Who finds no slot in time reads without one, and the next one goes on from there. */
  @Test
  void pastSlotsThatMustStayAWalkEndsBeforeAllHaveBeenLookedAt() throws IOException {
    CachedFile looked = cache.files().open(null, "g", 64 * 8);
    Extent extent = CacheFixtures.complete(looked, new TestSource(1, 64 * 8));
    looking = CacheFixtures.view(extent);
    int count = 2 * EvictionShard.MAX_TURNS;
    EvictionShard shard = new EvictionShard(count);
    for (int block = 0; block < count; block++) {
      add(shard, block).extent = extent;
    }
    add(shard, count);
    assertNull(evict(shard));
    assertNull(evict(shard));
    assertEquals(count, evict(shard).block);
    assertNotNull(looking, "otherwise nothing had to stay");
  }

  @Test
  void aBlockThatComesBackSoonGoesToTheMainQueue() {
    EvictionShard shard = new EvictionShard(1024);
    add(shard, 0);
    assertEquals(0, evict(shard).block);
    add(shard, 0);
    add(shard, 1);
    add(shard, 2);
    // The small queue has more than its tenth: 1 and 2, which are younger, go first.
    assertEquals(List.of(1, 2, 0), evictAll(shard));
    // And it is remembered once.
    add(shard, 0);
    add(shard, 3);
    assertEquals(List.of(0, 3), evictAll(shard));
  }

  @Test
  void aBlockThatIsAnnouncedAgainGoesToTheMainQueueWithItsFirstUse() {
    EvictionShard shard = new EvictionShard(1024);
    use(add(shard, 0, Reason.AHEAD), 1);
    assertEquals(List.of(0), evictAll(shard));
    for (int i = 0; i < 3; i++) {
      add(shard, 0, Reason.AHEAD);
      assertEquals(List.of(0), evictAll(shard));
    }
    add(shard, 0, Reason.AHEAD);
    add(shard, 1, Reason.READ);
    assertEquals(List.of(0, 1), evictAll(shard), "four announcements are no use");
    use(add(shard, 0, Reason.AHEAD), 1);
    add(shard, 2, Reason.READ);
    assertEquals(List.of(2, 0), evictAll(shard), "it has been used once");
  }

  @Test
  void aBlockThatWasReadAheadInVainComesBackLikeANewOne() {
    EvictionShard shard = new EvictionShard(1024);
    add(shard, 0, Reason.AHEAD);
    assertEquals(List.of(0), evictAll(shard));
    add(shard, 0, Reason.READ);
    add(shard, 1, Reason.READ);
    assertEquals(List.of(0, 1), evictAll(shard));
    assertTrue(shard.countMiss(file.hash(0)), "a miss is a use");
  }

  @Test
  void whatIsMissedAgainAndAgainShouldComeIn() {
    EvictionShard shard = new EvictionShard(1024);
    for (int miss = 1; miss <= 4; miss++) {
      assertFalse(shard.countMiss(file.hash(0)), "miss " + miss);
    }
    assertTrue(shard.countMiss(file.hash(0)));
    assertFalse(shard.countMiss(file.hash(1)), "each counts for itself");
    // It has come in as one that came back, and what was counted is forgotten.
    add(shard, 0);
    add(shard, 2);
    assertEquals(List.of(2, 0), evictAll(shard));
    assertFalse(shard.countMiss(file.hash(0)));
  }

  @Test
  void whatHasJustLeftMayComeBackAtOnce() {
    EvictionShard shard = new EvictionShard(1024);
    add(shard, 0);
    assertEquals(0, evict(shard).block);
    assertTrue(shard.countMiss(file.hash(0)));
  }

  @Test
  void aSlotInMotionStays() {
    EvictionShard shard = new EvictionShard(16);
    Slot slot = add(shard, 0);
    assertTrue(slot.tryTake(slot.version));
    assertNull(evict(shard));
    slot.publish();
    assertEquals(0, evict(shard).block);
    shard.remove(slot);
  }

  /** Returns a slot in motion that waits for a block. */
  private static Slot expect(EvictionShard shard, int index) {
    Slot slot = new Slot(index);
    shard.expect(slot);
    return slot;
  }

  /** They would take one block after the other from it, since they are not in the small one yet. */
  @Test
  void announcedBlocksOnTheirWayTakeNoMoreThanTheSmallQueueHas() {
    EvictionShard shard = new EvictionShard(1024);
    for (int block = 0; block < 90; block++) {
      add(shard, block, Reason.KNOWN);
    }
    for (int block = 90; block < 100; block++) {
      add(shard, block, Reason.AHEAD);
    }
    assertEquals(0, shard.evict(true).block, "the small queue has its tenth, and no more");
    List<Slot> coming = new ArrayList<>();
    coming.add(expect(shard, 100));
    for (int block = 90; block < 99; block++) {
      assertEquals(block, shard.evict(true).block);
      coming.add(expect(shard, block + 11));
    }
    assertNull(shard.evict(true), "the others stay");
    assertEquals(1, evict(shard).block, "who reads a block gets a slot of the main queue");
    shard.remove(coming.remove(0));
    shard.remove(coming.remove(0));
    assertEquals(2, shard.evict(true).block, "two have not come");
  }

  /** It is in its queue already, and nobody can take it. It has not been used, either. */
  @Test
  void anAnnouncementDoesNotMoveWhatIsJustBeingPublishedToTheMainQueue() {
    EvictionShard shard = new EvictionShard(1024);
    for (int block = 0; block < 90; block++) {
      add(shard, block, Reason.KNOWN);
    }
    for (int i = 0; i < 10; i++) {
      Slot ignored = expect(shard, 100 + i);
    }
    Slot slot = expect(shard, 200);
    slot.owner = file;
    slot.block = 200;
    shard.add(slot, file.hash(200), Reason.AHEAD);
    assertNull(shard.evict(true));
    assertFalse(EvictionShard.isInMain(slot));
    slot.publish();
    assertEquals(slot, shard.evict(true));
  }

  /** Each of them would take what a reader has brought in, and readers the main queue. */
  @Test
  void announcedBlocksOnTheirWayAreATenth() {
    EvictionShard shard = new EvictionShard(1024);
    for (int block = 0; block < 90; block++) {
      add(shard, block, Reason.KNOWN);
    }
    int announced = 0;
    for (int reads = 0; reads < 200; reads++) {
      evict(shard);
      add(shard, 200 + reads);
      Slot slot = shard.evict(true);
      if (slot != null) {
        shard.expect(slot);
        announced++;
      }
    }
    assertTrue(announced >= 9 && announced <= 11, "" + announced);
    int known = 0;
    for (int block : evictAll(shard)) {
      known += block < 200 ? 1 : 0;
    }
    assertTrue(known >= 90 - 11 - 6, known + " stay");
  }

  /** Whatever has happened to them: with time, others get their room. */
  @Test
  void announcedBlocksThatNeverComeDoNotEndAnnouncements() {
    EvictionShard shard = new EvictionShard(64);
    for (int block = 0; block < 50; block++) {
      add(shard, block, Reason.KNOWN);
    }
    for (int i = 0; i < 6; i++) {
      Slot ignored = expect(shard, 100 + i);
    }
    for (int reads = 0; reads < 64; reads++) {
      assertNull(shard.evict(true), "after " + reads);
      Slot ignored = evict(shard);
      add(shard, 200 + reads);
    }
    for (int i = 0; i < 3; i++) {
      Slot slot = shard.evict(true);
      assertTrue(slot.block >= 200, "one that a reader has brought in");
      shard.expect(slot);
      shard.add(slot, file.hash(300), Reason.AHEAD);
      slot.block = 300;
      slot.publish();
    }
  }

  /** Otherwise it goes with the next miss, comes back as a ghost, and pushes out what is used. */
  @Test
  void whatReadersBringInStaysBesideAnnouncedBlocksOnTheirWay() {
    EvictionShard shard = new EvictionShard(1024);
    for (int block = 0; block < 900; block++) {
      add(shard, block, Reason.KNOWN);
    }
    for (int i = 0; i < 101; i++) {
      Slot ignored = expect(shard, 1000 + i);
    }
    int share = 100 / 6;
    for (int reads = 0; reads <= share; reads++) {
      assertEquals(reads, evict(shard).block);
      add(shard, 2000 + reads);
    }
    assertEquals(2000, evict(shard).block, "their share is full");
  }

  /** This happens again and again, to blocks that are all remembered when they come back. */
  @ParameterizedTest
  @EnumSource(names = {"AHEAD", "UNASKED"})
  void whatIsReadAheadInVainPushesOutNothingThatIsUsed(Fill.Purpose purpose) throws IOException {
    SlotCache small = CacheFixtures.cache(40, 4);
    CachedFile hot = small.files().open(null, "hot", 30 * 16);
    CachedFile other = small.files().open(null, "other", 1 << 10);
    TestSource hotSource = new TestSource(1, 30 * 16);
    TestSource otherSource = new TestSource(2, 1 << 10);
    for (int round = 0; round < 2; round++) {
      for (int block = 0; block < 30; block++) {
        CacheFixtures.load(hot, block, hotSource).touch();
      }
    }
    for (int block = 0; block < 20; block++) {
      CacheFixtures.load(other, block, otherSource);
    }
    for (int round = 0; round < 20; round++) {
      for (int block = 0; block < 20; block++) {
        other.loadAhead(block, 1, otherSource, purpose);
      }
    }
    assertTrue(
        small.counters().sum(Counter.EVICTIONS) > 300,
        "" + small.counters().sum(Counter.EVICTIONS));
    for (int block = 0; block < 30; block++) {
      assertTrue(CacheFixtures.has(hot, block), "block " + block);
    }
  }

  @Test
  void aScanPassesThroughWithoutTouchingWhatIsHot() throws IOException {
    SlotCache small = CacheFixtures.cache(40, 4);
    int length = 16 << 10;
    CachedFile hot = small.files().open(null, "hot", 30 * 16);
    CachedFile scanned = small.files().open(null, "scanned", length);
    TestSource hotSource = new TestSource(1, 30 * 16);
    TestSource scan = new TestSource(2, length);
    for (int round = 0; round < 3; round++) {
      for (int block = 0; block < 30; block++) {
        CacheFixtures.load(hot, block, hotSource).touch();
      }
    }
    int before = hotSource.reads.get();
    for (int block = 0; block < length / 16; block++) {
      CacheFixtures.load(scanned, block, scan);
      if (block % 20 == 0) {
        for (int i = 0; i < 30; i++) {
          Slot slot = hot.find(i);
          if (slot != null) {
            slot.touch();
          }
        }
      }
    }
    for (int block = 0; block < 30; block++) {
      assertTrue(CacheFixtures.has(hot, block), "block " + block);
    }
    assertEquals(before, hotSource.reads.get());
    assertEquals(40, small.counters().sum(Counter.BLOCKS));
  }

  /** Otherwise blocks of a large cache would be forgotten long before as many others were read. */
  @Test
  void theBlocksOfAShardAreRememberedAtAllPlaces() {
    int shards = 16;
    int places = 1 << 18;
    BitSet reached = new BitSet(places);
    for (int block = 0; block < shards * places; block++) {
      long hash = file.hash(block);
      if (EvictionShard.number(hash, shards) == 0) {
        reached.set(EvictionShard.place(hash, places - 1));
      }
    }
    // As many balls as bins leave 1/e of them empty.
    assertEquals(1 - 1 / Math.E, reached.cardinality() / (double) places, 0.02);
  }
}
