/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A backend in use: its calls, the scratch buffers and vectors that its files share, and the number
 * of files that are open through it.
 *
 * <p>This class is thread-safe. An instance lives as long as the process.
 */
public final class Backend {

  private static final Logger LOGGER = System.getLogger(Backend.class.getName());

  private final SystemCalls calls;
  private final LongSupplier nanoTime;

  /** See {@link #hasManyFiles}. */
  private final long manyFiles;

  private final ScratchPool scratch;
  private final VectorPool vectors;

  /**
   * The large buffers, while there are files that use them. What unmaps their memory refers to this
   * class: if they were kept for good, so would be the classes of an application that has ended.
   */
  private WeakReference<LargeBuffers> large;

  private final NoWaitCalls arrayReads = new NoWaitCalls();
  private final NoWaitCalls probes = new NoWaitCalls();
  private final LongAdder openFiles = new LongAdder();
  private final Set<String> warnings = ConcurrentHashMap.newKeySet();

  /**
   * How long no queue is asked for after one has been refused, nor a descriptor that is not needed
   * after there was none: others may have used up what the system has for a moment, and to try
   * costs a call, or memory.
   */
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** When a queue was last refused; it means nothing unless {@link #hasQueues} is false. */
  private volatile long refusedAt;

  /** When there was last no descriptor left; it means nothing unless {@link #hasRunOut} is true. */
  private volatile long ranOutAt;

  /** Whether there has been no descriptor left for a file. */
  private volatile boolean hasRunOut;

  /**
   * Whether the last queue that was asked for could be had, or null if none has been. It says
   * nothing of those that were opened before.
   */
  private volatile Boolean hasQueues;

  /**
   * Creates a backend on the given calls; {@link BackendRegistry} does that, and so do tests that
   * bring their own calls.
   */
  public Backend(SystemCalls calls) {
    this(calls, System::nanoTime, ProcessLimits.descriptors());
  }

  /**
   * Creates a backend with another clock, for tests.
   *
   * @param descriptors how many this process may have open
   */
  Backend(SystemCalls calls, LongSupplier nanoTime, long descriptors) {
    PosixExceptions.prepare();
    // The first read may be near the end of a stack, where no class can be initialized.
    int ignored = PlatformThreads.callers();
    this.calls = calls;
    this.nanoTime = nanoTime;
    this.manyFiles = descriptors / 2;
    this.scratch = new ScratchPool(calls);
    this.vectors = new VectorPool(calls);
    // It may be gone before it is used, but its class is loaded, which nobody should wait for then.
    this.large = new WeakReference<>(new LargeBuffers(calls));
  }

  /** Returns the calls. */
  public SystemCalls calls() {
    return calls;
  }

  /** Returns the scratch buffers, which are borrowed for one call. */
  public ScratchPool scratch() {
    return scratch;
  }

  /**
   * Returns the large buffers for direct I/O, which are the same as long as somebody refers to
   * them.
   */
  public synchronized LargeBuffers large() {
    LargeBuffers buffers = large.get();
    if (buffers == null) {
      buffers = new LargeBuffers(calls);
      large = new WeakReference<>(buffers);
    }
    return buffers;
  }

  /** Returns the vectors, which are borrowed for one call. */
  public VectorPool vectors() {
    return vectors;
  }

  /**
   * Opens a regular file, which the caller closes.
   *
   * @throws java.nio.file.NoSuchFileException if {@code mode} requires an existing file and there
   *     is none
   * @throws java.nio.file.FileAlreadyExistsException if {@code mode} creates a file and it already
   *     exists
   * @throws java.nio.file.AccessDeniedException if permissions forbid it
   * @throws DirectIoUnsupportedException if {@code mode} is direct and this file can't be opened
   *     that way; the caller decides whether to open it without direct I/O
   * @throws java.nio.file.FileSystemException if it is not a regular file, or if a call fails in
   *     any other way
   * @see PosixFile
   */
  public PosixFile open(Path path, OpenMode mode) throws IOException {
    return FileOpener.open(this, path, mode);
  }

  /**
   * Waits until the names of the files in {@code folder} are on the device, by {@code fsync(2)} of
   * the folder itself. Interrupts do not cut the wait short.
   */
  public void syncFolder(Path folder) throws IOException {
    FileOpener.syncFolder(this, folder);
  }

  /**
   * Returns whether there was no descriptor left a moment ago, in the process or the system: who
   * can do without one leaves it to others.
   */
  public boolean isShortOfDescriptors() {
    return hasRunOut && nanoTime.getAsLong() - ranOutAt < RETRY_NANOS;
  }

  /**
   * Returns whether files have half of the descriptors that this process may have: who can do
   * without one leaves it to others, such as a commit that has to open a file.
   */
  public boolean hasManyFiles() {
    return openFiles() >= manyFiles;
  }

  /** Remembers that there was no descriptor left. */
  void ranOutOfDescriptors() {
    ranOutAt = nanoTime.getAsLong();
    hasRunOut = true;
  }

  /**
   * Opens a queue for direct reads, which the caller closes.
   *
   * @return null if there is none to be had; the log says why, once, but of FileChannel, which
   *     never has one
   */
  ReadQueue openQueue(int depth) {
    if (Boolean.FALSE.equals(hasQueues) && nanoTime.getAsLong() - refusedAt < RETRY_NANOS) {
      return null;
    }
    try {
      ReadQueue queue = ReadQueue.open(calls, depth);
      hasQueues = true;
      return queue;
    } catch (IOException | OutOfMemoryError e) {
      // Direct memory that is used up is no reason to fail a search.
      refusedAt = nanoTime.getAsLong();
      hasQueues = false;
      if (!calls.name().equals(ChannelSystemCalls.NAME)) {
        warnOnce(
            LOGGER,
            "no queue",
            () ->
                "direct reads ahead are made by threads, which costs more, in each cache that has"
                    + " no other queue: "
                    + e.getMessage());
      }
      return null;
    }
  }

  /**
   * Returns what will make the direct reads ahead of a cache that has no queue yet: {@code aio} for
   * queues of Linux AIO, or {@code threads}. If that is not known, it is tried.
   */
  public String readAheadEngine() {
    if (hasQueues == null) {
      ReadQueue queue = openQueue(1);
      if (queue != null) {
        queue.close();
      }
    }
    return hasQueues ? "aio" : "threads";
  }

  /**
   * Returns the number of descriptors that have been opened and not yet closed. It is exact while
   * no file is being opened or closed.
   */
  public long openFiles() {
    return openFiles.sum();
  }

  /**
   * Logs a warning unless one has already been logged for the same reason: once per process, since
   * a backend lives as long as the process.
   *
   * @param reason is kept for good, so there must be few different ones: it must not contain a path
   */
  public void warnOnce(Logger logger, String reason, Supplier<String> message) {
    if (warnings.add(reason)) {
      QuietLog.log(logger, Level.WARNING, null, message);
    }
  }

  /**
   * Returns what is known about reads into arrays, which a backend may lack even if it has {@link
   * #probes}.
   */
  NoWaitCalls arrayReads() {
    return arrayReads;
  }

  /** Returns what is known about probes, which ask whether a byte is in the page cache. */
  NoWaitCalls probes() {
    return probes;
  }

  void opened() {
    openFiles.increment();
  }

  void closed() {
    openFiles.decrement();
  }

  @Override
  public String toString() {
    return "Backend(" + calls.name() + ", openFiles=" + openFiles() + ")";
  }
}
