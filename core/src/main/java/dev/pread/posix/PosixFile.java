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
 * at once. Were {@code close(2)} called while another thread is about to call {@code pread(2)},
 * that thread could read some other file that got the same number, and nobody would notice. So each
 * operation registers first, {@link #close} only forbids new ones, and the last to leave makes the
 * call. See {@link UseCount}.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any number of threads at once; no monitor
 * is taken anywhere. Interrupts are neither noticed nor cleared.
 *
 * <p><b>Ownership.</b> Whoever opened it closes it. Buffers stay the caller's.
 */
public final class PosixFile implements Closeable {

  /**
   * Bytes that are read into an array with one call: the collector may have to wait for as long as
   * it takes to copy them, some ten microseconds.
   */
  private static final int MOST_PER_ARRAY_CALL = 128 << 10;

  private final Backend backend;
  private final Posix posix;
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
   * See {@link FileOpener}.
   *
   * @param directAlignment 0 where the file is not open for direct I/O
   */
  PosixFile(Backend backend, Path path, int fd, FileStat stat, int directAlignment) {
    this.backend = backend;
    this.posix = backend.posix();
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

  /** The path it was opened by. */
  public Path path() {
    return path;
  }

  /** The length in bytes when it was opened. */
  public long length() {
    return length;
  }

  /** The device its file system is on, as {@code fstat} tells it; 0 where the backend can't. */
  public long device() {
    return device;
  }

  /** What its file system knows it by, whatever its name; 0 where the backend can't tell. */
  public long inode() {
    return inode;
  }

  /**
   * When its bytes had last been written when it was opened, in nanoseconds since the epoch; 0
   * where the backend can't tell.
   */
  public long modifiedNanos() {
    return modifiedNanos;
  }

  /**
   * When its bytes, names, owner or permissions had last been changed when it was opened, in
   * nanoseconds since the epoch; 0 where the backend can't tell.
   */
  public long changedNanos() {
    return changedNanos;
  }

  /** Whether it was opened with {@code O_DIRECT}. */
  public boolean isDirect() {
    return directAlignment != 0;
  }

  /**
   * The power of two that position, length and memory address of each transfer have to be multiples
   * of: 1 unless the file {@link #isDirect}.
   */
  public int alignment() {
    return Math.max(1, directAlignment);
  }

  /** Whether {@link #close} has not been called yet. */
  public boolean isOpen() {
    return users.isOpen();
  }

  /**
   * Reads exactly {@code length} bytes at {@code position} into {@code dst[offset, offset +
   * length)}, however many calls that takes.
   *
   * @throws EOFException if the file ends before; it names the file and what was missing
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; the contents of the range are then undefined
   */
  public void readFully(long position, NativeBuffer dst, int offset, int length)
      throws IOException {
    read(position, dst, offset, null, length, length);
  }

  /**
   * Reads at least {@code atLeast} bytes at {@code position} into {@code dst[offset, offset +
   * room)}, and as many more as there is room for and the file has, however many calls that takes.
   * With direct I/O it is {@code room} that has to be aligned: it may reach past the end of the
   * file.
   *
   * @return bytes read, from {@code atLeast} to {@code room}
   * @throws EOFException if the file ends before {@code atLeast}; it names the file and what was
   *     missing
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; the contents of the range are then undefined
   */
  public int readAtLeast(long position, NativeBuffer dst, int offset, int atLeast, int room)
      throws IOException {
    return read(position, dst, offset, null, atLeast, room);
  }

  /**
   * Reads at least {@code atLeast} bytes at {@code position} into the pieces of {@code vector}, one
   * after the other, and as many more as they hold and the file has, however many calls that takes.
   * With direct I/O it is the pieces that have to be aligned: they may reach past the end of the
   * file.
   *
   * @param vector consumed: what has been filled is skipped, so that its length is what the file
   *     did not have; undefined after an exception
   * @throws EOFException if the file ends before {@code atLeast}; it names the file and what was
   *     missing
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; the contents of the pieces are then undefined
   */
  public void readFully(long position, IoVector vector, int atLeast) throws IOException {
    read(position, null, 0, vector, atLeast, vector.length());
  }

  /**
   * The one loop around short reads: into {@code vector}, or where that is null into {@code dst}.
   */
  private int read(
      long position, NativeBuffer dst, int offset, IoVector vector, int atLeast, int room)
      throws IOException {
    if (atLeast > room) {
      throw new IllegalArgumentException(
          "there is no room for " + atLeast + " bytes in " + room + ": " + path);
    }
    // A short count below the end that was known at open is no reason to stop, one at the end is.
    int wanted = (int) Math.max(atLeast, Math.min(room, length - position));
    String name = vector == null ? "pread" : "preadv";
    int stripe = enter();
    try {
      int done = 0;
      int cutAt = 0;
      while (done < wanted) {
        long n =
            vector == null
                ? posix.pread(fd, dst, offset + done, room - done, position + done)
                : posix.preadv(fd, vector, position + done);
        if (n == -Errno.EINTR) {
          continue;
        }
        if (n < 0) {
          throw PosixExceptions.of(posix, n, call(name, position + done, room - done), path);
        }
        // Direct I/O is cut within an aligned unit at the end of the file, but also by an error or
        // a signal. It can't go on from there, since that position is not aligned. So the unit is
        // read once more: that tells the error, or the rest, or ends at the same byte again.
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
   * Reads what is in the page cache of {@code length} bytes at {@code position} straight into an
   * array, up to the first byte that is not, and waits for no disk. Only where the system and the
   * backend can; a file that is open for direct I/O has nothing there.
   *
   * @return bytes read, from 0 to {@code length}. Fewer means that the rest has to be read another
   *     way, which also tells what is wrong if something is
   * @throws FileClosedException if the file is closed
   */
  public int readResident(long position, byte[] dst, int offset, int length)
      throws FileClosedException {
    if (arrayReads.areRefused() || directAlignment != 0) {
      return 0;
    }
    int stripe = enter();
    try {
      int done = 0;
      while (done < length) {
        int wanted = Math.min(length - done, MOST_PER_ARRAY_CALL);
        long n = posix.preadNoWait(fd, dst, offset + done, wanted, position + done);
        arrayReads.note(n);
        if (n > 0) {
          done += (int) n;
        }
        // Also 0, which Linux 5.9 and 5.10 answer before the end of a file, is for the read that
        // waits to explain.
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
   * Whether the byte at {@code position} can be read without waiting for the disk.
   *
   * @param probe any buffer of this backend; its first byte is overwritten
   * @return {@link Residency#UNKNOWN} where the system can't tell, also after an error, since this
   *     is only ever asked to save work
   */
  public Residency residency(long position, NativeBuffer probe) throws IOException {
    int stripe = enter();
    try {
      if (probes.areRefused()) {
        return Residency.UNKNOWN;
      }
      long n = posix.preadNoWait(fd, probe, 0, 1, position);
      probes.note(n);
      if (n > 0) {
        return Residency.RESIDENT;
      }
      return n == -Errno.EAGAIN ? Residency.ABSENT : Residency.UNKNOWN;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Writes exactly {@code length} bytes of {@code src} from {@code offset} at {@code position},
   * however many calls that takes. The one {@code writeFully} of this library.
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
        long n = posix.pwrite(fd, src, offset + done, length - done, position + done);
        if (n > 0) {
          done += (int) n;
        } else if (n == 0) {
          throw new FileSystemException(
              path.toString(),
              null,
              call("pwrite", position + done, length - done) + " wrote nothing");
        } else if (n != -Errno.EINTR) {
          throw PosixExceptions.of(posix, n, call("pwrite", position + done, length - done), path);
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
        result = posix.ftruncate(fd, length);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(posix, result, "ftruncate(length=" + length + ")", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Returns when the file's bytes, and what is needed to find them again (its length and place),
   * are on the device: {@code fdatasync(2)}. Never retried after an error, since the kernel may
   * have dropped the pages it could not write and would then report success.
   */
  public void syncData() throws IOException {
    int stripe = enter();
    try {
      int result;
      do {
        result = posix.fdatasync(fd);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(posix, result, "fdatasync", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Passes advice on to the kernel. Advice is never needed for correctness, so a kernel that
   * refuses it is not an error.
   *
   * @param length 0 means to the end of the file
   * @return whether the kernel took it
   * @throws FileClosedException if the file is closed
   */
  public boolean advise(long position, long length, Advice advice) throws FileClosedException {
    int stripe = enter();
    try {
      return posix.fadvise(fd, position, length, advice) == 0;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Forbids further use and closes the descriptor when the last operation under way has ended, at
   * once where there is none. Harmless when called again.
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
        throw PosixExceptions.of(posix, result, "close", path);
      }
    }
  }

  @Override
  public String toString() {
    return "PosixFile(path=\"" + path + "\", backend=" + posix.name() + ")";
  }

  private int enter() throws FileClosedException {
    int stripe = users.enter();
    if (stripe >= 0) {
      return stripe;
    }
    if (stripe == UseCount.CLOSED_AND_LAST) {
      closeDescriptor();
    }
    throw new FileClosedException(path);
  }

  private void leave(int stripe) {
    if (users.leave(stripe)) {
      // Closed under us, and we are the last: there is nobody left to tell of an error.
      closeDescriptor();
    }
  }

  private int closeDescriptor() {
    backend.closed();
    return posix.close(fd);
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
    // Most of what is refused on such a file is refused for its alignment.
    String direct = isDirect() ? ", O_DIRECT with alignment " + directAlignment : "";
    return name + "(position=" + position + ", length=" + length + direct + ")";
  }
}
