/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * A page of a file that somebody has announced to read ({@link AnnouncedPages}), or memory for one.
 *
 * <p>It has a version as a slot has. While the device reads into it, it is in motion, and nobody
 * takes it.
 */
public final class AnnouncedPage extends Guard {

  /** The binary logarithm of {@link #SIZE}. */
  public static final int BITS = 12;

  /** The size of a page in bytes, which is what a device reads fastest. */
  public static final int SIZE = 1 << BITS;

  private final Chunk chunk;
  private final int offset;
  private final FillSignal signal;

  /** The file that the page is of; written by the thread that has taken it. */
  private CachedFile owner;

  /** The number of the page in the file, written and read as {@link #owner} is. */
  private long number;

  /** What reads it, while it is read. A thread that waits looks again and again whether it does. */
  private volatile PageRead read;

  /** Whether somebody has used it. It is plain: a page that is taken too early is read again. */
  private boolean isUsed;

  AnnouncedPage(Chunk chunk, int offset, FillSignal signal) {
    super(true);
    this.chunk = chunk;
    this.offset = offset;
    this.signal = signal;
  }

  /** Returns the chunk it lies in. */
  public Chunk chunk() {
    return chunk;
  }

  /** Returns where in its chunk it begins. */
  public int offset() {
    return offset;
  }

  /** Returns what is told when it has been read. */
  FillSignal signal() {
    return signal;
  }

  /**
   * Returns whether it had that page of the file under {@code version}. The caller checks the
   * version.
   */
  public boolean isIn(long version, CachedFile file, long page) {
    return Guard.isStable(version) && is(file, page);
  }

  /** Returns whether it has, or is going to have, that page of the file; without a version. */
  boolean is(CachedFile file, long page) {
    return owner == file && number == page;
  }

  /** Returns what reads it just now, or null. */
  PageRead read() {
    return read;
  }

  /** Returns whether somebody has announced it, and nobody has used it. */
  boolean isAwaited() {
    return owner != null && !isUsed;
  }

  /** Notes that somebody reads it. */
  public void touch() {
    if (!isUsed) {
      isUsed = true;
    }
  }

  /** Becomes another page, which {@code by} reads. It is the caller's, and in motion. */
  void become(CachedFile file, long page, PageRead by) {
    owner = file;
    number = page;
    read = by;
    isUsed = false;
  }

  /** Ends the motion: everybody can see that it has the page, or is free if that is not so. */
  void endMotion(CachedFile file, boolean isRead) {
    read = null;
    if (!isRead) {
      owner = null;
    }
    publish();
    if (file.isClosed()) {
      // The close has left it alone while it was in motion.
      end(file, false);
    }
    signal.signal();
  }

  /**
   * Makes its readers look again, if it is of that file and not in motion.
   *
   * @param isKept whether they find it again; otherwise it is free
   */
  void end(CachedFile file, boolean isKept) {
    long version = (long) VERSION.getVolatile(this);
    if (Guard.isStable(version) && owner == file && tryTake(version)) {
      endMotion(file, isKept);
    }
  }

  /** Takes it for good: it is nobody's from now on. Returns false if the device reads into it. */
  boolean tryTake() {
    return tryTake((long) VERSION.getVolatile(this));
  }
}
