/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import dev.pread.cache.HotBlocks;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.QuietLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the hot blocks of a cache on disk: it reads the list when the cache is made, and writes it
 * every few minutes, if it has changed, and when the cache is closed.
 *
 * <p>Whatever is wrong with the file or the folder, the cache works; it starts cold, and the log
 * has one line.
 *
 * <p>Its threads, at most {@value #THREADS}, read blocks as well as write lists. There is one while
 * there is nothing to read. They end with the cache, also with one that nobody closes and nobody
 * uses any more.
 *
 * <p>It is thread-safe. {@link #close} comes before that of the cache.
 */
public final class HotList implements Closeable {

  private static final Logger LOGGER = System.getLogger(HotList.class.getName());

  /**
   * How many reads of hot blocks there are at the same time. One read at a time leaves most of a
   * device idle; with many, readers would have to wait behind them.
   */
  private static final int THREADS = 2;

  private static final long WRITE_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final long IDLE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final HotListFile file;
  private final int blockSize;
  private final HotBlocks blocks;
  private final ScheduledThreadPoolExecutor background;
  private final ReentrantLock lock = new ReentrantLock();

  /** What is in the file, as far as known. This and what follows is under the lock. */
  private long written;

  private boolean hasFailed;
  private boolean isClosed;

  private HotList(HotListFile file, SlotCache cache) {
    this.file = file;
    this.blockSize = cache.blockSize();
    this.background = new ScheduledThreadPoolExecutor(THREADS, HotList::thread, (task, pool) -> {});
    background.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    background.allowCoreThreadTimeOut(true);
    background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.blocks = cache.files().rememberHotBlocks(background);
  }

  /**
   * Begins to keep the hot blocks of a new cache. The list that is there is read before this
   * returns.
   *
   * @param folder where the list is; it is made if it is not there
   * @return null if the folder can't be used, which the log tells
   */
  public static HotList open(Path folder, SlotCache cache, Backend backend) {
    return open(folder, cache, backend, WRITE_MILLIS);
  }

  static HotList open(Path folder, SlotCache cache, Backend backend, long writeMillis) {
    HotListFile file = null;
    HotList list = null;
    boolean done = false;
    try {
      file = HotListFile.open(backend, folder);
      byte[] bytes = file.read();
      if (bytes.length > 0 && !HotListFormat.isList(bytes)) {
        throw new IOException("this is no list of hot blocks, and stays as it is: " + file);
      }
      list = new HotList(file, cache);
      list.take(bytes);
      list.writeEvery(writeMillis);
      done = true;
      return list;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          null,
          () ->
              "no list of hot blocks is kept, so that the cache starts cold after a restart, too; name"
                  + " another folder, or see to it that this one can be used: "
                  + folder
                  + ": "
                  + e);
      return null;
    } finally {
      if (!done && list != null) {
        cache.files().forgetHotBlocks();
        list.background.shutdownNow();
      }
      if (!done && file != null) {
        closeQuietly(file);
      }
    }
  }

  private static Thread thread(Runnable work) {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      // It outlives whoever happens to make the cache, or to open a file.
      group = group.getParent();
    }
    Thread thread = new Thread(group, work, "lucene-pread-warm", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  private void take(byte[] bytes) {
    if (bytes.length > 0) {
      try {
        blocks.addAll(HotListFormat.decode(blockSize, bytes));
        written = HotListFormat.fingerprint(bytes);
      } catch (IOException e) {
        QuietLog.log(
            LOGGER,
            Level.WARNING,
            null,
            () ->
                "the list of hot blocks can't be used, so that the cache starts cold; the next list"
                    + " replaces it: "
                    + file
                    + ": "
                    + e.getMessage());
      }
    }
  }

  private void writeEvery(long millis) {
    // The thread must not keep alive what has been forgotten without a close.
    Writer writer = new Writer(new WeakReference<>(this), file, background);
    ScheduledFuture<?> ignored =
        background.scheduleWithFixedDelay(writer, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Writes the list every few minutes, for as long as somebody can use it. */
  private record Writer(
      WeakReference<HotList> reference, HotListFile file, ThreadPoolExecutor background)
      implements Runnable {

    @Override
    public void run() {
      try {
        step();
      } catch (RuntimeException | Error e) {
        // One that left here would end this for good. The next time may go better.
        say(Level.DEBUG, "the list of hot blocks is looked after again later: ", file, e);
      }
    }

    private void step() {
      HotList list = reference.get();
      if (list == null) {
        end(background, file);
      } else {
        list.write();
        list.blocks.tell();
      }
    }
  }

  private static void say(Level level, String text, HotListFile file, Throwable failure) {
    QuietLog.log(LOGGER, level, null, () -> text + file + ": " + failure);
  }

  /** Writes the list if it has changed. If that fails, the log has it. */
  void write() {
    lock.lock();
    try {
      if (!isClosed) {
        writeIfChanged();
      }
    } finally {
      lock.unlock();
    }
  }

  private void writeIfChanged() {
    try {
      byte[] bytes = HotListFormat.encode(blockSize, blocks.notes());
      long fingerprint = HotListFormat.fingerprint(bytes);
      if (fingerprint != written) {
        file.write(bytes);
        written = fingerprint;
      }
      hasFailed = false;
    } catch (IOException | RuntimeException | Error e) {
      // The next attempt may go better. Until it does, once is enough. No error may leave: a server
      // that closes its cache has others to close.
      Level level = hasFailed ? Level.DEBUG : Level.WARNING;
      hasFailed = true;
      say(
          level,
          "the list of hot blocks can't be written, so that the next restart finds an older one or"
              + " none; said once: ",
          file,
          e);
    }
  }

  /** Writes the list for the last time, and gives the folder back. What fails is logged. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!isClosed) {
        isClosed = true;
        try {
          writeIfChanged();
        } finally {
          end(background, file);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static void end(ThreadPoolExecutor background, HotListFile file) {
    try {
      background.shutdown();
    } catch (RuntimeException | Error e) {
      say(Level.DEBUG, "threads could not be ended: ", file, e);
    } finally {
      closeQuietly(file);
    }
  }

  private static void closeQuietly(HotListFile file) {
    try {
      file.close();
    } catch (IOException | RuntimeException | Error e) {
      say(Level.DEBUG, "a lock could not be given back: ", file, e);
    }
  }
}
