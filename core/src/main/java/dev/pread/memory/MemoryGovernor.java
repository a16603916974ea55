/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.QuietLog;
import dev.pread.posix.SystemCalls;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Makes caches as large as the memory that nobody else wants, and smaller before the kernel has to
 * act.
 *
 * <p>What is free is the tightest limit of {@link MemoryView} less all that can't be taken back
 * from others and less what the heap may still take ({@link HeapGrowth}). Of it a small reserve
 * stays free. What exceeds the reserve is offered to the caches at each look; when less than three
 * quarters of the reserve are left, the caches give back what is missing. Between the two nothing
 * happens, so that noise moves nothing. Memory without a block in it goes back after a while in any
 * case.
 *
 * <p>Several processes in one limit each take what they see, and give back in proportion to what
 * they have: additive increase and multiplicative decrease, which leads to equal parts (Chiu and
 * Jain, "Analysis of the increase and decrease algorithms for congestion avoidance", 1989). Those
 * that see each other ({@link Peers}) see the same free memory, and the largest makes room for the
 * smallest of those that could use more.
 *
 * <p>The next look comes sooner the less is free: before a neighbour that takes memory as fast as
 * the kernel can hand it out could have used it up.
 *
 * <p>There is one thread per process, which ends when there is no cache left. Caches are not kept
 * alive. It is thread-safe.
 */
public final class MemoryGovernor {

  private static final Logger LOGGER = System.getLogger(MemoryGovernor.class.getName());

  private static final String LOOK_FAILED = "the memory could not be looked at";

  /** Faster than a process can take memory from the kernel, in bytes per second. */
  private static final double BYTES_PER_SECOND = 6.0 * (1L << 30);

  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After so long a look is overdue. */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How long to wait when there is nothing that could be given back, or when a look has failed. */
  private static final long HOPELESS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The governor of this process. */
  private static final MemoryGovernor PROCESS =
      new MemoryGovernor(Path.of("/"), new HeapGrowth()::bytes);

  private final Path root;
  private final LongSupplier heapGrowth;
  private final ThreadFactory threads;
  private final long maxPauseNanos;
  private final ReentrantLock lock = new ReentrantLock();

  /** The caches, guarded by the lock. */
  private final List<WeakReference<ElasticCache>> caches = new ArrayList<>();

  /** The thread, while there is one, written under the lock. */
  private volatile Thread thread;

  /** When to try again to start a thread, if there is none. */
  private long nextStart;

  /** What is looked at, by the thread and by the first look of a new cache, under the lock. */
  private MemoryView view;

  /** The other processes. They come and go with the caches, as the view does. */
  private Peers peers;

  /** It comes and goes with the view, and only the thread uses it. */
  private IdleMemory idle;

  /** What has been learned about others adds at most this part of the caches to the reserve. */
  private static final int LEARNED_PART = 12;

  /** A cache gives at most this part of the reserve to another at each look. */
  private static final int SHARED_PART = 16;

  /** So long a cache that could have used more counts as one that could use more. */
  private static final long WANTS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After so many of the longest pauses memory without a block is looked for again. */
  private static final int IDLE_PAUSES = 10;

  private Bursts bursts = new Bursts();

  /** What the last look has found. The lock guards it, and the time below. */
  private MemoryView.Room last;

  /** What that look has decided by. */
  private ElasticCache.Reason reason;

  /** When to look at all levels again. */
  private long nextEverywhere;

  /**
   * Whether the last look has found nothing to hand out, and nobody in need. The lock guards it.
   */
  private boolean isAllHandedOut;

  /**
   * The time until which no cache is asked to give to another, since the last one had nothing to
   * give.
   */
  private long nextShare = System.nanoTime();

  /** The time until which the others are told that a cache could use more. */
  private long wantsUntil = System.nanoTime();

  /** When to look again, in the time of {@link System#nanoTime}. It is written under the lock. */
  private volatile long nextLook;

  /**
   * Creates a governor.
   *
   * @param root the folder that it finds the kernel's files below
   * @param heapGrowth how many bytes the heap may still take; it is asked under the lock
   */
  MemoryGovernor(Path root, LongSupplier heapGrowth) {
    this(root, heapGrowth, MemoryGovernor::newThread, MAX_PAUSE_NANOS);
  }

  /**
   * Creates a governor whose threads and pauses are others: tests do not wait for seconds.
   *
   * @param threads makes the threads, which are not started
   * @param maxPauseNanos how long to wait at the most between two looks, and where it would be no
   *     use to try again
   */
  MemoryGovernor(Path root, LongSupplier heapGrowth, ThreadFactory threads, long maxPauseNanos) {
    this.root = root;
    this.heapGrowth = heapGrowth;
    this.threads = threads;
    this.maxPauseNanos = maxPauseNanos;
  }

  /** Returns the governor of this process. */
  public static MemoryGovernor ofProcess() {
    return PROCESS;
  }

  /** Returns what limits this process just now. */
  public Limits limits(SystemCalls calls) {
    try (MemoryView now = MemoryView.find(calls, root)) {
      return now.limits();
    }
  }

  /**
   * What limits a process.
   *
   * @param tightest bytes, or {@link Long#MAX_VALUE} if none is known
   * @param loosest bytes that the process could have if all limits but the loosest were lifted,
   *     which is the machine's; {@link Long#MAX_VALUE} if none is known
   * @param mappable bytes that it may still map, or {@link Long#MAX_VALUE}
   * @param failure why the limit of the process can't be told, with the path of a file; null if it
   *     can
   */
  public record Limits(long tightest, long loosest, long mappable, String failure) {}

  /** Begins to govern a cache, whose size has been decided when this returns. */
  public void add(ElasticCache cache, SystemCalls calls) {
    lock.lock();
    try {
      if (view == null) {
        peers = new Peers(calls, root);
        idle = new IdleMemory(calls, IDLE_PAUSES * maxPauseNanos);
        view = MemoryView.find(calls, root);
      }
      cache.slots().setLookOut(new LookOut(this, cache));
      caches.add(new WeakReference<>(cache));
      // The others have to share with it.
      last = null;
      nextLook = System.nanoTime();
      lookInTime();
      if (thread == null) {
        start();
      }
    } catch (RuntimeException | Error e) {
      closed();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Is called when a cache has been closed. If there is no thread to find that out, and it was the
   * last one, this ends what the thread would have ended. Where there is one, nobody waits for it.
   */
  public void closed() {
    if (thread != null) {
      return;
    }
    lock.lock();
    try {
      if (thread == null && view != null && open().isEmpty()) {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what was known while there were caches, under the lock. */
  private void end() {
    thread = null;
    last = null;
    reason = null;
    bursts = new Bursts();
    view.close();
    view = null;
    idle = null;
    peers.close();
    peers = null;
  }

  /** Starts the thread, under the lock. Without it those that use the caches still look. */
  private void start() {
    nextStart = System.nanoTime() + maxPauseNanos;
    Thread started = null;
    try {
      started = threads.newThread(this::run);
      started.start();
    } catch (RuntimeException | Error noThread) {
      QuietLog.log(LOGGER, Level.DEBUG, noThread, LOOK_FAILED);
    } finally {
      // It waits for the lock.
      thread = started != null && started.isAlive() ? started : null;
    }
  }

  static Thread newThread(Runnable body) {
    Thread made = new Thread(topGroup(), body, "lucene-pread-memory", 0, false);
    made.setDaemon(true);
    return made;
  }

  /** Returns a group that outlives whoever happens to make the first cache. */
  private static ThreadGroup topGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  private void run() {
    speak();
    while (true) {
      lock.lock();
      try {
        lookInTime();
        if (caches.isEmpty()) {
          end();
          return;
        }
      } finally {
        lock.unlock();
      }
      idle.giveBackIfDue(this::openNow);
      long pause = nextLook - System.nanoTime();
      if (pause > 0) {
        LockSupport.parkNanos(this, pause);
        // Nobody has a reason to interrupt this thread, and with the flag set there is no pause.
        boolean ignored = Thread.interrupted();
      }
    }
  }

  private List<ElasticCache> openNow() {
    lock.lock();
    try {
      return open();
    } finally {
      lock.unlock();
    }
  }

  /** Begins to tell the other processes in this thread's name, as soon as it looks. */
  private void speak() {
    lock.lock();
    try {
      peers.speak();
      last = null;
      nextLook = System.nanoTime();
    } catch (RuntimeException | Error e) {
      // It governs all the same, and is a neighbour like any other to other processes.
      peers.close();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Looks if it is time to. Threads that use the caches call this, since on busy processors it may
   * take a tenth of a second until the thread of the governor gets its turn. A virtual thread
   * leaves it to that thread: it would keep the lock while it waits for a processor thread, all of
   * which may be waiting for the disk.
   */
  private void lookIfLate() {
    if (System.nanoTime() - nextLook > LATE_NANOS
        && (thread == null || !Thread.currentThread().isVirtual())
        && lock.tryLock()) {
      try {
        if (view != null) {
          lookInTime();
          if (thread == null && System.nanoTime() - nextStart >= 0) {
            start();
          }
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * What threads that use a cache do. It keeps the cache governed for as long as somebody can use
   * it.
   */
  private record LookOut(MemoryGovernor governor, ElasticCache governed) implements Runnable {
    @Override
    public void run() {
      governor.lookIfLate();
    }
  }

  /** Looks if it is time to, under the lock, and says when to look again. */
  private void lookInTime() {
    if (System.nanoTime() - nextLook >= 0) {
      long pause = maxPauseNanos;
      try {
        boolean looksEverywhere = mustLookEverywhere();
        boolean isCheap = !looksEverywhere && isUnchanged() && !isSharing();
        pause = isCheap ? pause(last) : look(looksEverywhere);
        pause = Math.min(pause, Math.max(0, nextEverywhere - System.nanoTime()));
        if (isAllHandedOut && (caches.size() > 1 || !peers.isEmpty())) {
          share();
        }
      } catch (RuntimeException | Error e) {
        // Whatever it is, the next look may go better, and without looks the process is killed. It
        // has to find all anew: what this one has found it has not acted on.
        pause = HOPELESS_NANOS;
        last = null;
        QuietLog.log(LOGGER, Level.DEBUG, e, LOOK_FAILED);
      } finally {
        nextLook = System.nanoTime() + pause;
      }
    }
  }

  private List<ElasticCache> open() {
    List<ElasticCache> open = new ArrayList<>();
    for (int i = caches.size() - 1; i >= 0; i--) {
      ElasticCache cache = caches.get(i).get();
      if (cache == null || cache.slots().isClosed()) {
        caches.remove(i);
      } else {
        open.add(cache);
      }
    }
    return open;
  }

  /**
   * Returns whether a cheap look shows that nothing much can have happened since the last one: the
   * usage shows all that is taken as long as it is below the limit.
   */
  private boolean isUnchanged() {
    long usage = last.level().usage();
    return usage - last.usage() < last.reserve() / 8 && usage < last.limit() - last.reserve() / 2;
  }

  /** Returns whether processes may be sharing just now, which takes figures that are new. */
  private boolean isSharing() {
    return !peers.isEmpty() && (peers.wanting() > 0 || System.nanoTime() - wantsUntil < 0);
  }

  /**
   * Returns whether it is time to look at all levels. Limits are compared each time: whoever lowers
   * one does so in steps, each of which may take all that was free.
   */
  private boolean mustLookEverywhere() {
    return last == null || System.nanoTime() - nextEverywhere >= 0 || view.hasOtherLimits();
  }

  /**
   * Looks at the tightest limit and changes the caches.
   *
   * @param looksEverywhere whether to look at all limits for the tightest one
   * @return how long to wait until the next look, in nanoseconds
   */
  private long look(boolean looksEverywhere) {
    List<ElasticCache> open = open();
    long now = System.nanoTime();
    MemoryView.Room room = looksEverywhere ? lookEverywhere() : MemoryView.again(last);
    if (room != null && room.level().isStale()) {
      room = lookEverywhere();
    }
    boolean isOtherLevel = last != null && room != null && !last.level().equals(room.level());
    last = room;
    isAllHandedOut = false;
    if (room == null || open.isEmpty()) {
      return maxPauseNanos;
    }
    long growth = heapGrowth.getAsLong();
    long used = open.stream().mapToLong(cache -> cache.bytesBacked()).sum();
    boolean areOthers = talk(growth, used, now);
    growth += peers.heapGrowth();
    long free = room.free() - growth;
    long others = room.unreclaimable() - used + growth;
    if (areOthers || isOtherLevel) {
      // That others have more below this limit than below the last one does not mean that they have
      // taken it.
      bursts.rebase(others, peers.cacheBytes());
    }
    long burst = bursts.of(others, peers.cacheBytes(), now);
    long reserve = room.reserve() + Math.min(bursts.largest(), used / LEARNED_PART);
    reason = new ElasticCache.Reason(room, growth, reserve);
    double left = pageCacheShare(room.free(), used + peers.cacheBytes());
    for (ElasticCache cache : open) {
      cache.slots().setPageCacheShare(left);
    }
    if (free < reserve / 4 * 3) {
      // Whoever is taking memory just now will go on to do so while it is being given back.
      long wanted = reserve - free + burst;
      double part = Math.min(1, 2.0 * used / Math.max(1, room.unreclaimable()));
      long missing = (long) (wanted * part);
      boolean isUrgent = burst > room.reserve() / 4;
      long givenBack = 0;
      for (ElasticCache cache : open) {
        long has = cache.bytesBacked();
        cache.slots().setShortOfMemory(true);
        givenBack +=
            cache.resize(
                has - (long) (missing * ((double) has / Math.max(1, used))), isUrgent, reason);
      }
      if (givenBack > 0) {
        return 0;
      }
      // Caches that have nothing to give back gain nothing by haste.
      if (nextEverywhere - now < HOPELESS_NANOS) {
        nextEverywhere = now + HOPELESS_NANOS;
      }
      return HOPELESS_NANOS;
    }
    long more = Math.max(0, free - reserve);
    isAllHandedOut = more < reserve / 8;
    // What a smaller process has not yet taken is not to be taken back.
    boolean isForOthers = more < reserve && isMuchMore(used, peers.least());
    long each = isForOthers ? 0 : more / (open.size() + peers.wanting());
    for (ElasticCache cache : open) {
      cache.slots().setShortOfMemory(isAllHandedOut || isForOthers);
      cache.grow(each, reason);
    }
    return pause(room);
  }

  /** Looks at all levels, and returns the one with the least room, or null if none is known. */
  private MemoryView.Room lookEverywhere() {
    // Of a group that is gone nothing can be read, and who was in it is in another one.
    view = view.current();
    MemoryView.Room room = view.room();
    MemoryView.Room next = view.nextRoom();
    nextEverywhere = System.nanoTime() + (next == null ? maxPauseNanos : pause(next));
    return room;
  }

  /** Hears and tells other processes, and returns whether they are others than before. */
  private boolean talk(long heapGrowth, long used, long now) {
    try {
      peers.tell(heapGrowth, used, now - wantsUntil < 0);
      return peers.look(view.own(), now);
    } catch (RuntimeException | Error e) {
      // What they have said before will do, and to give memory back matters more.
      return false;
    }
  }

  /**
   * Moves memory from the largest cache to the smallest of those that could use more, a little at
   * each look, so that what is hot has the time to move elsewhere in the larger one. Those that
   * want more thus end up with equal parts, and what the others have stays with them unless it is
   * more than that. Nothing moves where the difference is small.
   *
   * <p>Of processes it is the same, and they come first.
   */
  private void share() {
    ElasticCache rich = null;
    ElasticCache poor = null;
    long used = 0;
    for (ElasticCache cache : open()) {
      cache.observe();
      used += cache.bytesBacked();
      if (cache.mayShrink() && (rich == null || cache.bytesBacked() > rich.bytesBacked())) {
        rich = cache;
      }
      if (cache.wantsMore()) {
        wantsUntil = System.nanoTime() + WANTS_NANOS;
        poor = poor == null || cache.bytesBacked() < poor.bytesBacked() ? cache : poor;
      }
    }
    if (rich == null || System.nanoTime() - nextShare < 0) {
      return;
    }
    long toOthers = isMuchMore(used, peers.least()) ? give(rich, used - peers.least()) : 0;
    if (toOthers == 0 && poor != null && isMuchMore(rich.bytesBacked(), poor.bytesBacked())) {
      long given = give(rich, rich.bytesBacked() - poor.bytesBacked());
      poor.receive(given, reason);
    }
  }

  /** Returns whether what one has is so much more than what another has that the one gives. */
  private boolean isMuchMore(long has, long another) {
    return has - another > Math.max(last.reserve() / SHARED_PART, has / 8);
  }

  /**
   * Has a cache give back a part of what it has more than another.
   *
   * @return how many bytes it has given
   */
  private long give(ElasticCache rich, long apart) {
    long most = Math.min(last.reserve() / SHARED_PART, apart / 4);
    long given = rich.resize(rich.bytesBacked() - most, false, reason);
    nextShare = System.nanoTime() + (given > 0 ? 0 : maxPauseNanos);
    return given;
  }

  /**
   * Returns the share of blocks that caches leave to the page cache, which may use what is free. It
   * is twice as large as that of the free memory, since blocks that are wanted often are in a cache
   * all the same. So it is all of them if more is free than the caches have: in a small container,
   * or as long as the heap has not taken what it may.
   *
   * @param free bytes that nobody uses but the page cache
   * @param used bytes that the caches have, those of other processes among them
   */
  static double pageCacheShare(long free, long used) {
    return Math.clamp(2.0 * free / Math.max(1, free + used), 0, 1);
  }

  private long pause(MemoryView.Room room) {
    long nanos = (long) (room.untilNextLook() / BYTES_PER_SECOND * 1e9);
    return Math.clamp(nanos, MIN_PAUSE_NANOS, maxPauseNanos);
  }
}
