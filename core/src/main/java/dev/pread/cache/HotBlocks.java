/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.QuietLog;
import dev.pread.posix.ReadableFile;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Knows which blocks were in the cache when their file was last open: in this process, or in one
 * before it. When the file is opened again they are read in the background ({@link Restore}), as
 * far as there is room that nobody uses.
 *
 * <p>A server closes all its files before it closes the cache, so a file's blocks are noted when it
 * is closed. A note is used once: it is taken when the file is opened, and made anew when the file
 * is closed.
 *
 * <p>A file is known by its path, its length, and the time of its last write. Lucene writes no file
 * twice, so that is nearly always enough. Where it is not, blocks are read for nothing: a note has
 * numbers of blocks and no bytes of them.
 *
 * <p>It is thread-safe. The lock is held for a few steps, and never while a file is read or its
 * blocks are looked through.
 */
public final class HotBlocks {

  private static final Logger LOGGER = System.getLogger(HotBlocks.class.getName());

  /**
   * The approximate number of bytes of the heap that the notes may take; the oldest are dropped.
   */
  static final long MAX_WEIGHT = 16L << 20;

  /**
   * The approximate number of bytes of the heap that a note takes beside its path and its blocks.
   */
  private static final int NOTE_WEIGHT = 200;

  private static final int MEBIBYTE_BITS = 20;

  /** How long the log says nothing more, since files may be opened one after the other. */
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * The blocks of a file.
   *
   * @param path of the file
   * @param length of the file, in bytes
   * @param modifiedNanos when it was last written, in nanoseconds since the epoch
   * @param runs its blocks
   */
  public record Note(String path, long length, long modifiedNanos, BlockRuns runs) {

    private boolean isOf(CachedFile file) {
      return path.equals(file.name())
          && length == file.length()
          && modifiedNanos == file.modifiedNanos();
    }

    private long weight() {
      return (long) NOTE_WEIGHT + path.length() + runs.size();
    }
  }

  private final SlotCache cache;
  private final Executor background;
  private final ReentrantLock lock = new ReentrantLock();

  /** The notes by path, the oldest first. The lock guards them, and all that follows. */
  private final Map<String, Note> notes = new LinkedHashMap<>();

  /** What the notes weigh together. */
  private long weight;

  /** The files whose blocks are being brought in, or wait for that. */
  private final Map<CachedFile, Restore> restores = new HashMap<>();

  /** How many files have had their blocks brought in since the log last said so. */
  private int filesRestored;

  /** How many blocks had been brought in when the log last said so, and when that was. */
  private long blocksTold;

  private long toldNanos = System.nanoTime() - QUIET_NANOS;

  /**
   * Creates an instance that knows nothing.
   *
   * @param background runs what reads blocks
   */
  HotBlocks(SlotCache cache, Executor background) {
    this.cache = cache;
    this.background = background;
  }

  /** Adds what was known before a restart. */
  public void addAll(List<Note> known) {
    lock.lock();
    try {
      known.forEach(this::put);
    } finally {
      lock.unlock();
    }
  }

  /** Returns what is known now: of files that are open, and of others. */
  public List<Note> notes() {
    List<Note> open = new ArrayList<>();
    Set<String> paths = new HashSet<>();
    for (CachedFile file : cache.files().all()) {
      Note note = note(file, false);
      if (note != null && !file.isDeleted()) {
        open.add(note);
        paths.add(note.path());
      }
    }
    // What is open is the newest: of notes that are put back, the first go if not all can be kept.
    List<Note> all = new ArrayList<>();
    lock.lock();
    try {
      notes.values().stream().filter(note -> !paths.contains(note.path())).forEach(all::add);
    } finally {
      lock.unlock();
    }
    all.addAll(open);
    return all;
  }

  /**
   * Returns the blocks of a file that are in the cache. If that is full, those that would be the
   * next to go are left out: new ones that have not been used again. What changes meanwhile is seen
   * or not.
   */
  private BitSet hotBlocks(CachedFile file) {
    BitSet hot = new BitSet();
    boolean isFull = cache.isFull();
    for (int block = file.nextEntered(0);
        block < file.blocks();
        block = file.nextEntered(block + 1)) {
      Slot slot = file.entered(block);
      if (slot != null && (!isFull || EvictionShard.isKept(slot))) {
        hot.set(block);
      }
    }
    return hot;
  }

  /**
   * Makes a note of the blocks that a file has in the cache, or would have soon.
   *
   * @param isClosing whether to take what has not been brought in yet out of the background
   * @return null if there are none
   */
  private Note note(CachedFile file, boolean isClosing) {
    BitSet blocks = hotBlocks(file);
    lock.lock();
    try {
      Restore restore = isClosing ? restores.remove(file) : restores.get(file);
      if (restore != null) {
        blocks.or(restore.left());
      }
      BitSet before = blocks(file, notes.get(file.name()));
      if (before != null) {
        blocks.or(before);
      }
    } finally {
      lock.unlock();
    }
    return blocks.isEmpty()
        ? null
        : new Note(file.name(), file.length(), file.modifiedNanos(), BlockRuns.of(blocks));
  }

  /** Returns the blocks of a note, or null if it is not a note of this file. */
  private static BitSet blocks(CachedFile file, Note note) {
    return note == null || !note.isOf(file) ? null : note.runs().blocks(file.blocks());
  }

  /** Begins to bring in what is known of a file that has been opened. It is known no more then. */
  void opened(CachedFile file, ReadableFile source) {
    try {
      if (file.key() != null) {
        begin(file, source);
      }
    } catch (OutOfMemoryError | RuntimeException e) {
      // There is no memory, or no thread may be made: that is no reason to fail to open a file.
      QuietLog.log(LOGGER, Level.DEBUG, e, "nothing is read in the background");
    }
  }

  private void begin(CachedFile file, ReadableFile source) {
    Restore restore = null;
    lock.lock();
    try {
      BitSet blocks = blocks(file, remove(file.name()));
      if (blocks != null && !blocks.isEmpty()) {
        restore = new Restore(this, file, source, blocks);
        restores.put(file, restore);
      }
    } finally {
      lock.unlock();
    }
    if (restore != null) {
      boolean isAccepted = false;
      try {
        background.execute(restore);
        isAccepted = true;
      } finally {
        if (!isAccepted) {
          ended(restore, true);
        }
      }
    }
  }

  /**
   * Records that a restore has come to its end.
   *
   * @param isInterrupted whether what is left of it may be worth reading later
   */
  void ended(Restore restore, boolean isInterrupted) {
    CachedFile file = restore.file();
    boolean isIdle = false;
    lock.lock();
    try {
      // If the file was closed meanwhile, there is a note of it already.
      if (restores.remove(file, restore)) {
        BitSet left = restore.left();
        if (isInterrupted && !left.isEmpty() && !file.isDeleted()) {
          put(new Note(file.name(), file.length(), file.modifiedNanos(), BlockRuns.of(left)));
        }
        filesRestored++;
        isIdle = restores.isEmpty();
      }
    } finally {
      lock.unlock();
    }
    if (isIdle) {
      tell();
    }
  }

  /** Makes a note of the blocks of a file that is about to be closed for good. */
  void closing(CachedFile file) {
    if (file.key() == null || cache.isClosed()) {
      return;
    }
    try {
      Note note = note(file, true);
      if (note != null) {
        lock.lock();
        try {
          if (!file.isDeleted()) {
            put(note);
          }
        } finally {
          lock.unlock();
        }
      }
    } catch (OutOfMemoryError noMemory) {
      // A file that is not noted is cold the next time, which is no reason to fail to close it.
      QuietLog.log(LOGGER, Level.DEBUG, noMemory, "no note is made");
    }
  }

  /** Forgets what is known of a file that was deleted. */
  void forget(String path) {
    lock.lock();
    try {
      Note ignored = remove(path);
    } finally {
      lock.unlock();
    }
  }

  private void put(Note note) {
    Note ignored = remove(note.path());
    if (note.weight() > MAX_WEIGHT) {
      // It would be at the cost of all the others.
      return;
    }
    notes.put(note.path(), note);
    weight += note.weight();
    while (weight > MAX_WEIGHT) {
      ignored = remove(notes.keySet().iterator().next());
    }
  }

  private Note remove(String path) {
    Note removed = notes.remove(path);
    if (removed != null) {
      weight -= removed.weight();
    }
    return removed;
  }

  /**
   * Says in the log how many blocks have been brought in since it last did, if there are any, and
   * at most once a minute.
   */
  public void tell() {
    long blocks;
    int files;
    lock.lock();
    try {
      if (System.nanoTime() - toldNanos < QUIET_NANOS) {
        return;
      }
      toldNanos = System.nanoTime();
      blocks = cache.counters().sum(Counter.BLOCKS_RESTORED) - blocksTold;
      files = filesRestored;
      blocksTold += blocks;
      filesRestored = 0;
    } finally {
      lock.unlock();
    }
    if (blocks > 0) {
      LOGGER.log(
          Level.INFO,
          "the block cache has "
              + blocks
              + " blocks ("
              + ((blocks * cache.blockSize()) >> MEBIBYTE_BITS)
              + " MiB) of "
              + files
              + " files back that it had before they were last closed");
    }
  }
}
