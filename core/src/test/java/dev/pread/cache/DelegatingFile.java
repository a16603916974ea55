/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;

/** A file, but for what a test makes up. */
class DelegatingFile implements ReadableFile {

  private final ReadableFile file;

  DelegatingFile(ReadableFile file) {
    this.file = file;
  }

  @Override
  public VectorPool vectors() {
    return file.vectors();
  }

  @Override
  public int alignment() {
    return file.alignment();
  }

  @Override
  public int readFully(long position, ReadTarget target, int atLeast, int room) throws IOException {
    return file.readFully(position, target, atLeast, room);
  }

  @Override
  public boolean offer(ReadQueue queue, QueuedRead read, long position) {
    return file.offer(queue, read, position);
  }

  @Override
  public ReadQueue openQueue(int depth) {
    return file.openQueue(depth);
  }
}
