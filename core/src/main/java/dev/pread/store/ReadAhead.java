/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.LargeBuffers;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.PosixFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads ahead in a file that is open for direct I/O and read from end to end, for example by a
 * merge: the kernel reads ahead only for its page cache.
 *
 * <p>There are a few streams, each with a buffer that holds a stretch of the file, since a merge
 * walks through several parts of a compound file at once. A stream that is continued where it ends
 * reads twice as much each time, up to {@link LargeBuffers#BUFFER_SIZE}; the least recently used
 * one starts over elsewhere with a small read, so that reads that jump cost little.
 *
 * <p>This class is thread-safe: one thread at a time reads ahead, and others are told to read for
 * themselves. It does not own the file. {@link #close} gives the buffers back.
 */
final class ReadAhead implements Closeable {

  private static final int MAX_STREAMS = 4;
  private static final int FIRST_SIZE = 32 << 10;

  /** A stretch of the file; it has no size until it has been read. */
  private static final class Stream {
    NativeBuffer buffer;
    long start;
    int size;
    int wanted;
    long used;

    boolean has(long position) {
      return position >= start && position < start + size;
    }
  }

  private final PosixFile file;
  private final LargeBuffers buffers;
  private final int alignment;
  private final ReentrantLock lock = new ReentrantLock();
  private final Stream[] streams = new Stream[MAX_STREAMS];
  private long clock;
  private boolean closed;

  /** Creates the read-ahead of {@code file}, with buffers of its backend. */
  public ReadAhead(LargeBuffers buffers, PosixFile file) {
    this.file = file;
    this.buffers = buffers;
    this.alignment = file.alignment();
  }

  /**
   * Reads what it can of {@code length} bytes at {@code position}, within the file. It never fails:
   * what is wrong with bytes that nobody has asked for is no reason to fail a read, and what is
   * wrong with the others is told by the caller's own read.
   *
   * @return how many bytes have been read; the caller has to read the rest for itself
   */
  public int read(long position, byte[] dst, int offset, int length) {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      int done = 0;
      while (done < length && !closed) {
        Stream stream = stream(position + done);
        if (stream == null) {
          break;
        }
        if (stream.size == 0) {
          int atLeast = (int) Math.min(stream.wanted, file.length() - stream.start);
          int room = (atLeast + alignment - 1) & -alignment;
          try {
            file.readFully(stream.start, stream.buffer, atLeast, room);
          } catch (IOException e) {
            break;
          }
          stream.size = atLeast;
        }
        int from = (int) (position + done - stream.start);
        int here = Math.min(stream.size - from, length - done);
        stream.buffer.get(from, dst, offset + done, here);
        stream.used = ++clock;
        done += here;
      }
      return done;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a stream that has the byte at {@code position}, or will have it when it has been read,
   * or null if there is no buffer for one.
   */
  private Stream stream(long position) {
    Stream oldest = null;
    for (int i = 0; i < MAX_STREAMS; i++) {
      Stream stream = streams[i];
      if (stream == null) {
        stream = streams[i] = new Stream();
      }
      if (stream.has(position)) {
        return stream;
      }
      if (stream.size > 0 && position == stream.start + stream.size) {
        return begin(stream, position, Math.min(2 * stream.wanted, LargeBuffers.BUFFER_SIZE));
      }
      if (oldest == null || stream.used < oldest.used) {
        oldest = stream;
      }
    }
    if (oldest.buffer == null) {
      oldest.buffer = buffers.take();
      if (oldest.buffer == null) {
        // There are fewer streams then, with the same rule among them.
        oldest = oldestWithBuffer();
      }
    }
    return oldest == null ? null : begin(oldest, position, FIRST_SIZE);
  }

  private Stream oldestWithBuffer() {
    Stream oldest = null;
    for (Stream stream : streams) {
      if (stream.buffer != null && (oldest == null || stream.used < oldest.used)) {
        oldest = stream;
      }
    }
    return oldest;
  }

  private Stream begin(Stream stream, long position, int wanted) {
    stream.size = 0;
    stream.start = position & -alignment;
    stream.wanted = wanted;
    return stream;
  }

  /** Gives the buffers back. Calling it again has no effect. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      for (Stream stream : streams) {
        if (stream != null && stream.buffer != null) {
          buffers.give(stream.buffer);
          stream.buffer = null;
          stream.size = 0;
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
