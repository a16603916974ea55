/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/**
 * A backend in use: its calls, the scratch buffers its files share, and the number of files that
 * are open through it.
 *
 * <p>Thread-safe; lives as long as the process.
 */
public final class Backend {

  private final Posix posix;
  private final ScratchPool scratch;
  private final LongAdder openFiles = new LongAdder();

  /** For {@link Backends} and for tests that bring their own calls. */
  public Backend(Posix posix) {
    this.posix = posix;
    this.scratch = new ScratchPool(posix);
  }

  /** The calls. */
  public Posix posix() {
    return posix;
  }

  /** Buffers for the time of one call. */
  public ScratchPool scratch() {
    return scratch;
  }

  /**
   * Opens a file, which the caller closes.
   *
   * @see PosixFile
   */
  public PosixFile open(Path path, OpenMode mode) throws IOException {
    return PosixFile.open(this, path, mode);
  }

  /**
   * Returns when the names of the files in {@code folder} are on the device: {@code fsync(2)} of
   * the folder itself. Interrupts don't keep it from that.
   */
  public void syncFolder(Path folder) throws IOException {
    PosixFile.syncFolder(posix, folder);
  }

  /** Descriptors that have been opened and not yet closed. Exact while nothing is under way. */
  public long openFiles() {
    return openFiles.sum();
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
