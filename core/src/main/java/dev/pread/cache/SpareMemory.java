/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Memory for readers whose block gets no slot: the cache is full of what can't be evicted, or it is
 * closed. There may be many thousands of such readers, none of which says when it has gone, so a
 * piece belongs to nobody for longer than it takes to fill it. Like a slot it has a version: who
 * finds that it has changed reads again, into a piece of its own or the next one in turn. A reader
 * has a good chance to find its piece as it left it as long as no more of them read at a time than
 * there are pieces.
 *
 * <p>Thread-safe. Nobody ever waits, and there is nothing to release but a closed file's pieces.
 */
public final class SpareMemory {

  /** Bytes of a piece. */
  public static final int PIECE_SIZE = 4 << 10;

  /** Pieces there are at most: 4 MiB in all. */
  static final int MAX_PIECES = 1024;

  /** Pieces that are allocated together: 64 KiB. */
  private static final int TOGETHER = 16;

  /** All pieces, made as they are needed. */
  private final AtomicReferenceArray<Piece[]> pieces =
      new AtomicReferenceArray<>(MAX_PIECES / TOGETHER);

  /** Counts up: whose turn it is. */
  private final AtomicInteger turn = new AtomicInteger();

  /** None yet. */
  SpareMemory() {}

  /** A piece. */
  public static final class Piece extends Guard {

    private final Chunk chunk;
    private final int offset;
    private final boolean isPooled;

    /** Whose contents it has; written by who has taken it. */
    private OpenGuard owner;

    private Piece(Chunk chunk, int offset, boolean isPooled) {
      super(true);
      this.chunk = chunk;
      this.offset = offset;
      this.isPooled = isPooled;
    }

    /** What tells whether it still has what was read into it. */
    public Guard guard() {
      return isPooled ? this : owner;
    }

    /** What it lies in. */
    public Chunk chunk() {
      return chunk;
    }

    /** Where in its chunk it begins. */
    public int offset() {
      return offset;
    }

    /**
     * Ends the filling, also where it has failed; from now on others may take the piece.
     *
     * @return the version of {@link #guard} under which it can be read. It changes when the owner
     *     is closed, if the caller looks whether it is still open after this call, and not before
     */
    public long filled() {
      if (!isPooled) {
        return OpenGuard.OPEN;
      }
      long filled = version + 1;
      publish();
      // The look at the owner must not come before: see drop.
      VarHandle.fullFence();
      return filled;
    }
  }

  /**
   * A piece that is the caller's alone until {@link Piece#filled}, which has to follow.
   *
   * @param last the guard of what the caller has read before: a piece, if it still has {@code
   *     version}, is taken again
   * @param owner of the contents, which are gone when it ends
   */
  public Piece take(Guard last, long version, OpenGuard owner) {
    StackReserve.ensure();
    Piece piece = last instanceof Piece own && own.tryTake(version) ? own : takeNext();
    piece.owner = owner;
    return piece;
  }

  private Piece takeNext() {
    for (int i = 0; i < MAX_PIECES; i++) {
      Piece piece = piece(turn.getAndIncrement() & (MAX_PIECES - 1));
      if (piece.tryTake(piece.acquire())) {
        return piece;
      }
    }
    // All of them are being filled at this moment, by as many threads: this one is the caller's.
    return new Piece(new Chunk(ByteBuffer.allocateDirect(PIECE_SIZE)), 0, false);
  }

  private Piece piece(int number) {
    int group = number / TOGETHER;
    Piece[] made = pieces.get(group);
    if (made == null) {
      Chunk chunk = new Chunk(ByteBuffer.allocateDirect(TOGETHER * PIECE_SIZE));
      made = new Piece[TOGETHER];
      for (int i = 0; i < TOGETHER; i++) {
        made[i] = new Piece(chunk, i * PIECE_SIZE, true);
      }
      if (!pieces.compareAndSet(group, null, made)) {
        made = pieces.get(group);
      }
    }
    return made[number % TOGETHER];
  }

  /**
   * Makes all that was read for {@code owner} invalid. The owner has to show that it is closed
   * before: a piece that is being filled just now is left to its taker, who looks at that
   * afterwards.
   */
  public void drop(OpenGuard owner) {
    VarHandle.fullFence();
    for (int group = 0; group < pieces.length(); group++) {
      Piece[] made = pieces.get(group);
      for (int i = 0; made != null && i < TOGETHER; i++) {
        Piece piece = made[i];
        long version = piece.acquire();
        // In vain where it has been taken meanwhile, which changes the version as well.
        if (Guard.isStable(version) && piece.owner == owner && piece.tryTake(version)) {
          piece.owner = null;
          piece.publish();
        }
      }
    }
  }
}
