/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A backend in use: its calls, the scratch buffers and vectors its files share, and the number of
 * files that are open through it.
 *
 * <p>Thread-safe; lives as long as the process.
 */
public final class Backend {

  private final Posix posix;
  private final ScratchPool scratch;
  private final VectorPool vectors;
  private final LargeBuffers large;
  private final NoWaitCalls arrayReads = new NoWaitCalls();
  private final NoWaitCalls probes = new NoWaitCalls();
  private final LongAdder openFiles = new LongAdder();
  private final Set<String> warnings = ConcurrentHashMap.newKeySet();

  /** For {@link Backends} and for tests that bring their own calls. */
  public Backend(Posix posix) {
    PosixExceptions.prepare();
    this.posix = posix;
    this.scratch = new ScratchPool(posix);
    this.vectors = new VectorPool(posix);
    this.large = new LargeBuffers(posix);
  }

  /** The calls. */
  public Posix posix() {
    return posix;
  }

  /** Buffers for the time of one call. */
  public ScratchPool scratch() {
    return scratch;
  }

  /** Buffers for direct I/O. */
  public LargeBuffers large() {
    return large;
  }

  /** Vectors for the time of one call. */
  public VectorPool vectors() {
    return vectors;
  }

  /**
   * Opens a regular file, which the caller closes.
   *
   * @throws java.nio.file.NoSuchFileException if {@code mode} wants an existing one and there is
   *     none
   * @throws java.nio.file.FileAlreadyExistsException if {@code mode} creates a file and it exists
   * @throws java.nio.file.AccessDeniedException if permissions forbid it
   * @throws DirectIoUnsupportedException if {@code mode} is a direct one and this file can't be
   *     opened so; opening it without is up to the caller
   * @throws java.nio.file.FileSystemException if it is not a regular file, or on any other error of
   *     a call
   * @see PosixFile
   */
  public PosixFile open(Path path, OpenMode mode) throws IOException {
    return FileOpener.open(this, path, mode);
  }

  /**
   * Returns when the names of the files in {@code folder} are on the device: {@code fsync(2)} of
   * the folder itself. Interrupts don't keep it from that.
   */
  public void syncFolder(Path folder) throws IOException {
    FileOpener.syncFolder(posix, folder);
  }

  /** Descriptors that have been opened and not yet closed. Exact while nothing is under way. */
  public long openFiles() {
    return openFiles.sum();
  }

  /**
   * Logs a warning that there has not been for the same reason: once per process, as a backend
   * lives as long.
   *
   * @param reason kept, so one of few: without paths
   */
  public void warnOnce(Logger logger, String reason, Supplier<String> message) {
    if (warnings.add(reason)) {
      logger.log(Level.WARNING, message);
    }
  }

  /** Reads into arrays, which a backend may not have although it has {@link #probes}. */
  NoWaitCalls arrayReads() {
    return arrayReads;
  }

  /** Looks at what is in the page cache. */
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
    return "Backend(" + posix.name() + ", openFiles=" + openFiles() + ")";
  }
}
