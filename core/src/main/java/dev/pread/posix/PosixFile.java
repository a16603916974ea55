/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * An open file: a descriptor that can't be used after it is closed, and the only loops of this
 * library around short reads and writes.
 *
 * <p><b>Why it counts its users.</b> A descriptor is a small number that the kernel hands out again
 * at once. If {@code close(2)} were called while another thread was about to call {@code pread(2)},
 * that thread could read some other file that got the same number, and nobody would notice. So each
 * operation registers first, {@link #close} only forbids new ones, and the last one to leave closes
 * the descriptor. See {@link UseCount}.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any number of threads at once, and none
 * takes a monitor of its own. Interrupts are neither noticed nor cleared.
 *
 * <p><b>Ownership.</b> Whoever opened the file closes it. Buffers remain the caller's.
 */
public final class PosixFile implements ReadableFile, Closeable {

  /**
   * The most bytes that one call reads into an array: the garbage collector may have to wait for as
   * long as it takes to copy them, some ten microseconds.
   */
  private static final int MAX_PER_ARRAY_CALL = 128 << 10;

  private final Backend backend;
  private final SystemCalls calls;
  private final Path path;
  private final int fd;
  private final long length;
  private final long device;
  private final long inode;
  private final long modifiedNanos;
  private final long changedNanos;
  private final int directAlignment;
  private final UseCount users = new UseCount();

  private final NoWaitCalls.OfFile arrayReads;
  private final NoWaitCalls.OfFile probes;

  /**
   * Creates an open file; see {@link FileOpener}.
   *
   * @param directAlignment 0 if the file is not open for direct I/O
   */
  PosixFile(Backend backend, Path path, int fd, FileStat stat, int directAlignment) {
    this.backend = backend;
    this.calls = backend.calls();
    this.path = path;
    this.fd = fd;
    this.length = stat.size();
    this.device = stat.device();
    this.inode = stat.inode();
    this.modifiedNanos = stat.modifiedNanos();
    this.changedNanos = stat.changedNanos();
    this.directAlignment = directAlignment;
    this.arrayReads = backend.arrayReads().new OfFile();
    this.probes = backend.probes().new OfFile();
  }

  /** Returns the path the file was opened by. */
  public Path path() {
    return path;
  }

  /** Returns the file's length in bytes when it was opened. */
  public long length() {
    return length;
  }

  /**
   * Returns the device that the file system is on, as {@code fstat} reports it, or 0 if the backend
   * can't tell.
   */
  public long device() {
    return device;
  }

  /**
   * Returns the number by which the file system knows the file, whatever its name, or 0 if the
   * backend can't tell.
   */
  public long inode() {
    return inode;
  }

  /**
   * Returns when the file's bytes had last been written at the time it was opened, in nanoseconds
   * since the epoch, or 0 if the backend can't tell.
   */
  public long modifiedNanos() {
    return modifiedNanos;
  }

  /**
   * Returns when the file's bytes, names, owner or permissions had last been changed at the time it
   * was opened, in nanoseconds since the epoch, or 0 if the backend can't tell.
   */
  public long changedNanos() {
    return changedNanos;
  }

  /** Returns whether the file was opened with {@code O_DIRECT}. */
  public boolean isDirect() {
    return directAlignment != 0;
  }

  /**
   * Returns the power of two that the position, length and memory address of each transfer have to
   * be multiples of. It is 1 unless the file is {@linkplain #isDirect direct}.
   */
  @Override
  public int alignment() {
    return Math.max(1, directAlignment);
  }

  /** Returns whether {@link #close} has not been called yet. */
  @Override
  public boolean isOpen() {
    return users.isOpen();
  }

  /**
   * Opens this very file once more to read it with direct I/O, whatever it is called by now. The
   * caller closes what is returned.
   *
   * @throws DirectIoUnsupportedException if this file can't be read that way
   * @throws IOException if it can't be opened, for example since {@code /proc} is not mounted
   */
  public PosixFile reopenDirect() throws IOException {
    int stripe = enter();
    try {
      return FileOpener.open(backend, path, Path.of("/proc/self/fd/" + fd), OpenMode.READ_DIRECT);
    } finally {
      leave(stripe);
    }
  }

  /**
   * Reads the first bytes of the file, which must not be empty, with direct I/O: some file systems
   * let a file be opened for it and refuse it only then.
   *
   * @throws DirectIoUnsupportedException if it is refused
   * @throws IOException if they can't be read for another reason
   */
  public void tryDirectRead() throws IOException {
    assert alignment() <= ScratchPool.BUFFER_SIZE : alignment();
    NativeBuffer unit = backend.scratch().take(alignment(), alignment());
    int stripe = UseCount.CLOSED;
    try {
      stripe = enter();
      long n;
      do {
        n = calls.pread(fd, unit, 0, alignment(), 0);
      } while (n == -Errno.EINTR);
      if (n == -Errno.EINVAL) {
        throw FileOpener.directRefused(path, "pread", calls);
      }
      if (n < 0) {
        throw PosixExceptions.of(calls, n, call("pread", 0, alignment()), path);
      }
      if (n == 0) {
        throw truncated(0, 1, "pread returned 0");
      }
    } finally {
      if (stripe >= 0) {
        leave(stripe);
      }
      backend.scratch().give(unit);
    }
  }

  @Override
  public VectorPool vectors() {
    return backend.vectors();
  }

  /**
   * {@inheritDoc} The file need not stay open: the kernel keeps what it needs once the read has
   * been submitted, and until then the descriptor is not closed.
   */
  @Override
  public boolean offer(ReadQueue queue, QueuedRead read, long position) {
    // Through the page cache the kernel would read while the queue submits, and not afterwards.
    int stripe = isDirect() && queue.isOf(calls) ? enterIfOpen() : UseCount.CLOSED;
    if (stripe < 0) {
      return false;
    }
    try {
      read.sendBy(this, stripe);
      return queue.offer(read, fd, position);
    } finally {
      if (!read.isAccepted()) {
        leave(stripe);
      }
    }
  }

  @Override
  public ReadQueue openQueue(int depth) {
    return isDirect() ? backend.openQueue(depth) : null;
  }

  /** {@inheritDoc} This is the one loop around short reads. */
  @Override
  public int readFully(long position, ReadTarget target, int atLeast, int room) throws IOException {
    IoVector vector = target instanceof IoVector pieces ? pieces : null;
    NativeBuffer buffer = vector == null ? (NativeBuffer) target : null;
    if (atLeast > room) {
      throw new IllegalArgumentException(
          "there is no room for " + atLeast + " bytes in " + room + ": " + path);
    }
    // A short count before the end that was known at open is no reason to stop; one at the end is.
    int wanted = (int) Math.max(atLeast, Math.min(room, length - position));
    String name = vector == null ? "pread" : "preadv";
    int stripe = enter();
    try {
      int done = 0;
      int cutAt = 0;
      while (done < wanted) {
        long n =
            vector == null
                ? calls.pread(fd, buffer, done, room - done, position + done)
                : calls.preadv(fd, vector, position + done);
        if (n == -Errno.EINTR) {
          continue;
        }
        if (n < 0) {
          throw PosixExceptions.of(calls, n, call(name, position + done, room - done), path);
        }
        // Direct I/O stops within an aligned unit at the end of the file, but also after an error
        // or a signal. It can't go on from there, since that position is not aligned. So the unit
        // is read once more: this returns the error or the rest, or stops at the same byte again.
        int rest = (int) n & (alignment() - 1);
        int end = done + (int) n;
        boolean ended =
            n == 0 || (rest != 0 && (end >= atLeast || position + end >= length || end <= cutAt));
        int taken = ended ? (int) n : (int) n - rest;
        done += taken;
        if (vector != null) {
          vector.skip(taken);
        }
        if (ended) {
          if (done < atLeast) {
            throw truncated(position + done, atLeast - done, name + " returned " + n);
          }
          break;
        }
        cutAt = end;
      }
      return done;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Reads those of {@code length} bytes at {@code position} that are in the page cache straight
   * into an array, up to the first byte that is not, without waiting for the disk. It reads nothing
   * if the system or the backend can't do this, or if the file is open for direct I/O and so has
   * nothing in the page cache.
   *
   * @return the number of bytes read, from 0 to {@code length}. If it is less, the rest has to be
   *     read another way, which also reports what is wrong if anything is
   */
  public int readResident(long position, byte[] dst, int offset, int length) {
    if (arrayReads.areRefused() || directAlignment != 0) {
      return 0;
    }
    int stripe = enterIfOpen();
    if (stripe < 0) {
      return 0;
    }
    try {
      int done = 0;
      while (done < length) {
        int wanted = Math.min(length - done, MAX_PER_ARRAY_CALL);
        long n = calls.preadNoWait(fd, dst, offset + done, wanted, position + done);
        arrayReads.note(n);
        if (n > 0) {
          done += (int) n;
        }
        // The read that waits has to explain this, even a 0, which Linux 5.9 and 5.10 also return
        // before the end of a file.
        if (n < wanted) {
          break;
        }
      }
      return done;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Returns whether the byte at {@code position} can be read without waiting for the disk.
   *
   * @return {@link Residency#UNKNOWN} if the system can't tell, and also after an error or a close,
   *     and without memory for a byte, since the answer is only ever used to save work
   */
  public Residency residency(long position) {
    int stripe = probes.areRefused() ? UseCount.CLOSED : enterIfOpen();
    if (stripe < 0) {
      return Residency.UNKNOWN;
    }
    NativeBuffer probe = null;
    try {
      probe = backend.scratch().take(1, 1);
      long n = calls.preadNoWait(fd, probe, 0, 1, position);
      probes.note(n);
      if (n > 0) {
        return Residency.RESIDENT;
      }
      return n == -Errno.EAGAIN ? Residency.ABSENT : Residency.UNKNOWN;
    } catch (OutOfMemoryError noMemory) {
      return Residency.UNKNOWN;
    } finally {
      leave(stripe);
      if (probe != null) {
        backend.scratch().give(probe);
      }
    }
  }

  @Override
  public boolean mayWait(long position) {
    return isDirect() || residency(position) != Residency.RESIDENT;
  }

  /**
   * Writes exactly {@code length} bytes of {@code src}, from {@code offset} on, at {@code
   * position}, however many calls that takes. This is the one {@code writeFully} of this library.
   *
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; how much has been written is then undefined
   */
  public void writeFully(long position, NativeBuffer src, int offset, int length)
      throws IOException {
    int stripe = enter();
    try {
      int done = 0;
      while (done < length) {
        long n = calls.pwrite(fd, src, offset + done, length - done, position + done);
        if (n > 0) {
          done += (int) n;
        } else if (n == 0) {
          throw new FileSystemException(
              path.toString(),
              null,
              call("pwrite", position + done, length - done) + " wrote nothing");
        } else if (n != -Errno.EINTR) {
          throw PosixExceptions.of(calls, n, call("pwrite", position + done, length - done), path);
        }
      }
    } finally {
      leave(stripe);
    }
  }

  /** Cuts or extends the file to {@code length} bytes. */
  public void truncate(long length) throws IOException {
    int stripe = enter();
    try {
      int result;
      do {
        result = calls.ftruncate(fd, length);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(calls, result, "ftruncate(length=" + length + ")", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Waits until the file's bytes, and what is needed to find them again (its length and place), are
   * on the device, by {@code fdatasync(2)}. The call is never retried after an error, since the
   * kernel may have dropped the pages it could not write and would then report success.
   */
  public void syncData() throws IOException {
    int stripe = enter();
    try {
      int result;
      do {
        result = calls.fdatasync(fd);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(calls, result, "fdatasync", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Passes advice on to the kernel. Advice is never needed for correctness, so it is no error if
   * the kernel refuses it, or if the file is closed.
   *
   * @param length 0 means to the end of the file
   * @return whether the kernel accepted it
   */
  public boolean advise(long position, long length, Advice advice) {
    int stripe = enterIfOpen();
    if (stripe < 0) {
      return false;
    }
    try {
      return calls.fadvise(fd, position, length, advice) == 0;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Forbids further use and closes the descriptor when the last operation under way has ended, or
   * at once if there is none. Calling it again has no effect.
   *
   * @throws IOException if this call closed the descriptor and the kernel reported a write that had
   *     failed before
   */
  @Override
  public void close() throws IOException {
    if (users.close()) {
      int result = closeDescriptor();
      // After EINTR the descriptor is closed on Linux; a second call could hit another file's.
      if (result < 0 && result != -Errno.EINTR) {
        throw PosixExceptions.of(calls, result, "close", path);
      }
    }
  }

  /**
   * Deletes the file, which this process has just created, so that a failure leaves nothing behind.
   * If that can't be done, the reason is suppressed in {@code failure}.
   */
  public void deleteAfter(Throwable failure) {
    FileOpener.deleteAfter(failure, path);
  }

  @Override
  public String toString() {
    return "PosixFile(path=\"" + path + "\", backend=" + calls.name() + ")";
  }

  private int enter() throws FileClosedException {
    int stripe = enterIfOpen();
    if (stripe < 0) {
      throw new FileClosedException(path);
    }
    return stripe;
  }

  /** Returns what {@link #leave} takes, or a negative number if the file is closed. */
  private int enterIfOpen() {
    int stripe = users.enter();
    if (stripe == UseCount.CLOSED_AND_LAST) {
      closeDescriptor();
    }
    return stripe;
  }

  /** Ends what {@link #enterIfOpen} has begun; another thread may do so. */
  void leave(int stripe) {
    if (users.leave(stripe)) {
      // The file has been closed meanwhile and we are the last user: nobody is left to report an
      // error to.
      closeDescriptor();
    }
  }

  private int closeDescriptor() {
    try {
      return calls.close(fd);
    } finally {
      backend.closed();
    }
  }

  private EOFException truncated(long position, long missing, String answer) {
    return new EOFException(
        "read past EOF: "
            + missing
            + " bytes missing at position "
            + position
            + ": the file has been truncated since it was opened with "
            + length
            + " bytes ("
            + answer
            + "): "
            + path);
  }

  private String call(String name, long position, long length) {
    // Most calls that are refused on such a file are refused because of their alignment.
    String direct = isDirect() ? ", O_DIRECT with alignment " + directAlignment : "";
    return name + "(position=" + position + ", length=" + length + direct + ")";
  }
}
