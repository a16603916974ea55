/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Memory for readers whose block gets no slot: either the cache is full of what can't be evicted,
 * or it is closed. There may be many thousands of such readers, none of which says when it has
 * gone, so a piece belongs to nobody for longer than it takes to fill it. Like a slot, a piece has
 * a version: a reader that finds that it has changed reads again, into a piece of its own or the
 * next one in turn. A reader has a good chance of finding its piece as it left it, as long as no
 * more readers read at a time than there are pieces.
 *
 * <p>It is thread-safe. Nobody ever waits, and there is nothing to release but a closed file's
 * pieces.
 */
public final class SpareMemory {

  /** The size of a piece in bytes. */
  public static final int PIECE_SIZE = 4 << 10;

  /** The largest number of pieces there are: 4 MiB in all. */
  static final int MAX_PIECES = 1024;

  /** The number of pieces that are allocated together: 64 KiB. */
  private static final int GROUP_PIECES = 16;

  /** All pieces, made as they are needed. */
  private final AtomicReferenceArray<Piece[]> pieces =
      new AtomicReferenceArray<>(MAX_PIECES / GROUP_PIECES);

  /**
   * How many groups there may be: fewer once there was no memory for one. Whoever sees that late
   * tries once more.
   */
  private volatile int groups = MAX_PIECES / GROUP_PIECES;

  /** A counter whose value says which piece is next. */
  private final AtomicInteger turn = new AtomicInteger();

  /** Creates spare memory that has no pieces yet. */
  SpareMemory() {}

  /** A piece of the spare memory. */
  public static final class Piece extends Guard {

    private final Chunk chunk;
    private final int offset;
    private final boolean isPooled;

    /** The owner of its contents; written by the thread that has taken it. */
    private OpenGuard owner;

    private Piece(Chunk chunk, int offset, boolean isPooled) {
      super(true);
      this.chunk = chunk;
      this.offset = offset;
      this.isPooled = isPooled;
    }

    /** Returns the guard that tells whether the piece still has what was read into it. */
    public Guard guard() {
      return isPooled ? this : owner;
    }

    /** Returns the chunk it lies in. */
    public Chunk chunk() {
      return chunk;
    }

    /** Returns where in its chunk it begins. */
    public int offset() {
      return offset;
    }

    /**
     * Ends the filling, even if that has failed; from now on others may take the piece.
     *
     * @return the version of {@link #guard} under which the piece can be read. It changes when the
     *     owner is closed, provided that the caller checks whether the owner is still open after
     *     this call, and not before
     */
    public long filled() {
      if (!isPooled) {
        return OpenGuard.OPEN;
      }
      long filled = version + 1;
      publish();
      // The caller's look at the owner must not come before this: see drop.
      VarHandle.fullFence();
      return filled;
    }
  }

  /**
   * Takes a piece that is the caller's alone until {@link Piece#filled}, which has to follow.
   *
   * @param last the guard of what the caller has read before: if it is a piece that still has
   *     {@code version}, that piece is taken again
   * @param owner the owner of the contents, which are gone when it ends
   */
  public Piece take(Guard last, long version, OpenGuard owner) {
    StackReserve.ensure();
    Piece piece = last instanceof Piece own && own.tryTake(version) ? own : takeNext();
    piece.owner = owner;
    return piece;
  }

  private Piece takeNext() {
    for (int i = 0; i < MAX_PIECES; i++) {
      Piece piece = piece((turn.getAndIncrement() & (MAX_PIECES - 1)) % (groups * GROUP_PIECES));
      if (piece.tryTake(piece.acquire())) {
        return piece;
      }
    }
    // All of them are being filled at this moment, by as many threads: this one is the caller's.
    return new Piece(new Chunk(ByteBuffer.allocateDirect(PIECE_SIZE)), 0, false);
  }

  private Piece piece(int number) {
    int group = number / GROUP_PIECES;
    if (pieces.get(group) == null) {
      try {
        boolean ignored = pieces.compareAndSet(group, null, makeGroup());
      } catch (OutOfMemoryError noMemory) {
        if (pieces.get(0) == null) {
          throw noMemory;
        }
        // The first group does. To try again would make every such read wait for a collection.
        groups = Math.max(1, group);
        group = 0;
      }
    }
    return pieces.get(group)[number % GROUP_PIECES];
  }

  private static Piece[] makeGroup() {
    Chunk chunk = new Chunk(ByteBuffer.allocateDirect(GROUP_PIECES * PIECE_SIZE));
    Piece[] made = new Piece[GROUP_PIECES];
    for (int i = 0; i < GROUP_PIECES; i++) {
      made[i] = new Piece(chunk, i * PIECE_SIZE, true);
    }
    return made;
  }

  /**
   * Invalidates all that was read for {@code owner}. The owner must show that it is closed before
   * this call: a piece that is being filled just now is left to its taker, which looks at the owner
   * afterwards.
   */
  public void drop(OpenGuard owner) {
    VarHandle.fullFence();
    for (int group = 0; group < pieces.length(); group++) {
      Piece[] made = pieces.get(group);
      for (int i = 0; made != null && i < GROUP_PIECES; i++) {
        Piece piece = made[i];
        long version = piece.acquire();
        // This fails if the piece has been taken meanwhile, which changes the version as well.
        if (Guard.isStable(version) && piece.owner == owner && piece.tryTake(version)) {
          piece.owner = null;
          piece.publish();
        }
      }
    }
  }
}
