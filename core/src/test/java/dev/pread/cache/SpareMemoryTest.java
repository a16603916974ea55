/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendJvm;
import dev.pread.cache.SpareMemory.Piece;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;

class SpareMemoryTest {

  private final SpareMemory spare = new SpareMemory();
  private final OpenGuard owner = new OpenGuard();

  @Test
  void whoStillHasAPieceGetsItAgain() {
    Piece first = spare.take(owner, OpenGuard.OPEN, owner);
    long version = first.filled();
    assertTrue(first.guard().is(version));
    assertSame(first, spare.take(first, version, owner));
    assertFalse(first.guard().is(version), "while it is filled again");
    assertNotSame(first, spare.take(first, version, owner), "with a version that is over");
  }

  @Test
  void piecesGoRoundAndAreNeverTwoTakersAtOnce() {
    Piece[] taken = new Piece[SpareMemory.MAX_PIECES];
    long[] versions = new long[taken.length];
    Set<Piece> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < taken.length; i++) {
      taken[i] = spare.take(owner, OpenGuard.OPEN, owner);
      distinct.add(taken[i]);
    }
    assertEquals(taken.length, distinct.size());
    for (int i = 0; i < taken.length; i++) {
      versions[i] = taken[i].filled();
    }
    Piece again = spare.take(owner, OpenGuard.OPEN, owner);
    assertSame(taken[0], again);
    assertFalse(taken[0].guard().is(versions[0]));
    assertTrue(taken[1].guard().is(versions[1]));
  }

  /** A JVM that has direct buffers for some of the pieces, and takes many more. */
  static final class Little {

    private Little() {}

    public static void main(String[] arguments) {
      SpareMemory spare = new SpareMemory();
      OpenGuard owner = new OpenGuard();
      Set<Piece> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int i = 0; i < 2 * SpareMemory.MAX_PIECES; i++) {
        Piece piece = spare.take(owner, OpenGuard.OPEN, owner);
        distinct.add(piece);
        piece.filled();
      }
      System.out.println("pieces=" + distinct.size());
    }
  }

  /** A JVM that has too few direct buffers for any piece. */
  static final class None {

    private None() {}

    public static void main(String[] arguments) throws InterruptedException {
      SpareMemory spare = new SpareMemory();
      OpenGuard owner = new OpenGuard();
      Set<String> thrown = new ConcurrentSkipListSet<>();
      // The JDK takes half a second to refuse memory, and refuses all at the same time.
      List<Thread> takers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        takers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        spare.take(owner, OpenGuard.OPEN, owner).filled();
                        thrown.add("nothing");
                      } catch (RuntimeException | Error e) {
                        thrown.add(e.getClass().getSimpleName());
                      }
                    }));
      }
      for (Thread taker : takers) {
        taker.join();
      }
      System.out.println(thrown);
    }
  }

  @Test
  void whereThereIsMemoryForNoneItSaysSoEachTime() throws Exception {
    String output = BackendJvm.run(Map.of(), List.of("-XX:MaxDirectMemorySize=50k"), None.class);
    assertEquals("[OutOfMemoryError]", output.strip());
  }

  @Test
  void whereThereIsMemoryForSomeTheyGoRoundSooner() throws Exception {
    String output =
        BackendJvm.run(Map.of(), List.of("-XX:MaxDirectMemorySize=300k"), Little.class).strip();
    // Four groups of 16 fit, if nobody else has a direct buffer.
    assertTrue(
        List.of("pieces=64", "pieces=48", "pieces=32", "pieces=16").contains(output), output);
  }

  @Test
  void whatIsReadForAClosedOwnerIsGoneAndNothingElse() {
    OpenGuard other = new OpenGuard();
    Piece mine = spare.take(owner, OpenGuard.OPEN, owner);
    Piece others = spare.take(other, OpenGuard.OPEN, other);
    Piece underWay = spare.take(owner, OpenGuard.OPEN, owner);
    long version = mine.filled();
    long othersVersion = others.filled();
    assertTrue(owner.end());
    spare.drop(owner);
    assertFalse(mine.guard().is(version));
    assertTrue(others.guard().is(othersVersion));
    long late = underWay.filled();
    assertTrue(underWay.guard().is(late), "which its taker has to find out by itself");
  }

  @Test
  void whereAllAreBeingFilledThereIsOneMoreAndItGoesWithItsOwner() {
    for (int i = 0; i < SpareMemory.MAX_PIECES; i++) {
      spare.take(owner, OpenGuard.OPEN, owner);
    }
    Piece more = spare.take(owner, OpenGuard.OPEN, owner);
    long version = more.filled();
    assertTrue(more.guard().is(version));
    owner.end();
    spare.drop(owner);
    assertFalse(more.guard().is(version));
  }
}
