/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.StressDevice;
import dev.pread.posix.VectorPool;
import java.io.IOException;

/** A file whose longs are all the same, on a device of its own, which a queue reads. */
final class StressFile implements ReadableFile {

  private final ReadableFile memory;
  private final StressDevice device;
  private volatile boolean isClosed;

  /**
   * Makes one.
   *
   * @param isSlow whether the device has done nothing until somebody waits for it
   */
  StressFile(long value, boolean isSlow) {
    memory = StressMemory.source(value);
    device = new StressDevice(value, isSlow);
  }

  /** Returns what it is on. */
  StressDevice device() {
    return device;
  }

  /** Closes it; the device goes on. */
  void close() {
    isClosed = true;
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public VectorPool vectors() {
    return memory.vectors();
  }

  @Override
  public int readFully(long position, ReadTarget target, int atLeast, int room) throws IOException {
    return memory.readFully(position, target, atLeast, room);
  }

  @Override
  public boolean offer(ReadQueue queue, QueuedRead read, long position) {
    return device.offer(read);
  }

  @Override
  public ReadQueue openQueue(int depth) {
    return device.queue();
  }
}
