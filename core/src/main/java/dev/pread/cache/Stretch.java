/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A part of a file that could lie in one piece: the extent that it has or had, and what speaks for
 * making another. It is thread-safe. What is neither volatile nor written under the lock is racy: a
 * thread that sees it late makes an attempt more, or one later.
 */
final class Stretch {

  /**
   * The number of failed reads after which a stretch is not tried again: one may have been an
   * accident.
   */
  private static final int MANY_FAILURES = 3;

  /** How long to wait after an attempt to make room; twice as long after each one in vain. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often that time is doubled. */
  private static final int MAX_DOUBLINGS = 6;

  private final CachedFile file;
  private final SlotCache cache;
  private final int first;
  private final int blocks;
  private final ReentrantLock lock;

  /** The extent, complete or not, or null. It is written under the lock. */
  private volatile Extent extent;

  /**
   * Whether an extent has been made, or there was no room for one. It is written under the lock.
   */
  private boolean tried;

  /** How many of the reads that were made to complete it have failed. */
  private int failures;

  /** Whether somebody would work right in its memory if that lay in one piece. */
  private boolean wanted;

  /** How many samples of hits there have been while it was in pieces, since the last try. */
  private int samples;

  /** The time ({@link System#nanoTime}) before which no room is made again. */
  private long notBefore = System.nanoTime();

  /**
   * How often in a row room was made in vain: readers of some formats come back with every vector.
   */
  private int vain;

  /**
   * Creates it without an extent.
   *
   * @param first the first of its blocks
   * @param blocks how many it has
   * @param lock what extents are entered under
   */
  Stretch(CachedFile file, int first, int blocks, ReentrantLock lock) {
    this.file = file;
    this.cache = file.cache();
    this.first = first;
    this.blocks = blocks;
    this.lock = lock;
  }

  CachedFile file() {
    return file;
  }

  /** Returns the first of its blocks. */
  int first() {
    return first;
  }

  /** Returns how many blocks it has. */
  int blocks() {
    return blocks;
  }

  /** Returns its extent, complete or not, or null. */
  Extent extent() {
    return extent;
  }

  // ---- while there is room ----

  /**
   * Returns its extent. The first call makes it if there is room; null means that there is none.
   */
  Extent place() {
    Extent there = extent;
    return there != null || tried ? there : make(false);
  }

  /**
   * Returns its extent as {@link #place} does, but tries again if there was no room before, or if
   * the extent has ended since: blocks that are in the cache already can move into it.
   */
  Extent placeAgain() {
    Extent there = extent;
    return mayMakeAgain(there) ? make(true) : there;
  }

  private Extent make(boolean again) {
    lock.lock();
    try {
      if (again ? extent == null || extent.isGone() : !tried) {
        tried = true;
        Extent made = cache.pendingExtents().make(file, first, blocks);
        if (made != null) {
          enter(made);
        }
      }
      return extent;
    } finally {
      lock.unlock();
    }
  }

  private void enter(Extent made) {
    tried = true;
    extent = made;
    if (file.isClosed() || cache.isClosed()) {
      // The close of the file or the cache has ended only the extents that it found.
      made.end();
    }
  }

  private boolean mayMakeAgain(Extent there) {
    return couldBeMade(there) && cache.hasRoomToMove(blocks);
  }

  private boolean couldBeMade(Extent there) {
    // A single block is in one piece anyway.
    return blocks > 1 && failures < MANY_FAILURES && (there == null || there.isGone());
  }

  /** Returns whether it could lie in one piece, and does not. */
  boolean mayComplete() {
    Extent there = extent;
    return (there != null && there.isPending() && there.hasUnclaimed())
        || mayMakeAgain(there)
        || (isDue() && mayMakeRoom());
  }

  /**
   * Records that a part of it could not be read. If that goes on, the extent will never be
   * complete, and gives back what it keeps.
   */
  void failed() {
    Extent there = extent;
    if (++failures >= MANY_FAILURES && there != null) {
      there.endIfPending();
    }
  }

  // ---- when room has to be made ----

  /**
   * Counts a sample of hits, which were in pieces unless there is a complete extent. Once there are
   * enough, threads share a line that nobody writes.
   */
  void sample() {
    Extent there = extent;
    if (samples < blocks && (there == null || !there.isComplete())) {
      samples++;
    }
  }

  /** Records that somebody would work right in its memory. */
  void want() {
    if (!wanted) {
      // Readers of some formats say so for each vector, and would share the line that they write.
      wanted = true;
    }
  }

  /**
   * Returns whether look-ups in a stretch that is wanted in one piece have cost as much as it costs
   * to exchange its blocks with others: each sample stands for some sixty look-ups, and so many
   * take about as long as two copies of a block. So whatever happens to the stretch afterwards, the
   * exchange at most doubles what is lost (the argument of {@link EvictionShard#countMiss}). While
   * it is another file's turn, none is due.
   */
  private boolean isDue() {
    return wanted && samples >= blocks && !cache.compaction().isBusy();
  }

  /** Returns whether room may be made for it at the expense of others. */
  boolean mayMakeRoom() {
    return couldBeMade(extent)
        && cache.pins().hasRoom(blocks)
        && System.nanoTime() - notBefore >= 0;
  }

  /** Makes room if that is due, and if few of the blocks have yet to come. */
  boolean makeRoomIfDue(ReadableFile source) {
    if (!isDue() || !mayMakeRoom()) {
      return false;
    }
    boolean isMostlyThere = isMostlyThere();
    if (isMostlyThere && cache.compaction().isBusy()) {
      // Another file was faster. This one is as due as before when that has ended.
      return false;
    }
    samples = 0;
    return isMostlyThere && makeRoom(source, false);
  }

  private boolean isMostlyThere() {
    int present = 0;
    for (int block = first; block < first + blocks; block++) {
      present += file.find(block) == null ? 0 : 1;
    }
    return present >= blocks - blocks / 8;
  }

  /**
   * Makes room, and brings the blocks there ({@link Compaction#run}).
   *
   * @param waits whether to wait while it is another file's turn
   */
  boolean makeRoom(ReadableFile source, boolean waits) {
    boolean made = cache.compaction().run(this, source, waits);
    vain = made ? 0 : Math.min(vain + 1, MAX_DOUBLINGS);
    notBefore = System.nanoTime() + (PAUSE_NANOS << vain);
    return made;
  }

  /** Enters an extent that is still to get its slots, unless there is one that keeps its own. */
  void enterInstead(Extent made) {
    lock.lock();
    try {
      if (couldBeMade(extent)) {
        enter(made);
      } else {
        made.end();
      }
    } finally {
      lock.unlock();
    }
  }
}
