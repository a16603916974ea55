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
 * <p>It has an {@link Allotment} look at the memory and decide, as often as that wants to look, for
 * as long as there are caches. Memory without a block in it goes back after a while in any case
 * ({@link IdleMemory}).
 *
 * <p>There is one thread per process, which ends when there is no cache left. Caches are not kept
 * alive. It is thread-safe.
 */
public final class MemoryGovernor {

  private static final Logger LOGGER = System.getLogger(MemoryGovernor.class.getName());

  private static final String LOOK_FAILED = "the memory could not be looked at";

  /** How long to wait at the most between two looks. */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After so long a look is overdue. */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How long to wait when a look has failed. */
  private static final long FAILED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** After so many of the longest pauses memory without a block is looked for again. */
  private static final int IDLE_PAUSES = 10;

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

  /** What decides, while there are caches. It is used under the lock. */
  private Allotment allotment;

  /** It comes and goes with the allotment, and only the thread uses it. */
  private IdleMemory idle;

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
      if (allotment == null) {
        idle = new IdleMemory(calls, IDLE_PAUSES * maxPauseNanos);
        allotment = new Allotment(calls, root, heapGrowth, maxPauseNanos);
      }
      cache.slots().setLookOut(new LookOut(this, cache));
      caches.add(new WeakReference<>(cache));
      allotment.forget();
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
      if (thread == null && allotment != null && open().isEmpty()) {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what was known while there were caches, under the lock. */
  private void end() {
    thread = null;
    idle = null;
    Allotment ended = allotment;
    allotment = null;
    ended.close();
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
      allotment.speak();
      nextLook = System.nanoTime();
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
        if (allotment != null) {
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
      long pause = FAILED_NANOS;
      try {
        pause = allotment.look(open());
      } catch (RuntimeException | Error e) {
        // Whatever it is, the next look may go better, and without looks the process is killed.
        allotment.forget();
        QuietLog.log(LOGGER, Level.DEBUG, e, LOOK_FAILED);
      } finally {
        nextLook = System.nanoTime() + pause;
      }
    }
  }

  /** Returns the caches that there are, under the lock. */
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
}
