/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

/**
 * The backend that needs nothing but the JDK: {@code FileChannel} for reading, {@code
 * RandomAccessFile} for writing. It works on every platform, at the JDK's costs: it takes a monitor
 * per read, and can neither advise the kernel nor look into the page cache.
 *
 * <p><b>Interrupts.</b> The JDK closes a {@code FileChannel} under all its users when one of them
 * is interrupted inside a call. Our readers must not notice. So each file that is opened for
 * reading has, besides its channel, a {@code RandomAccessFile}, which interrupts do not close and
 * which takes over for the rest of that file's life (one reader at a time, under its monitor).
 * Reopening the path would not work: Lucene deletes files while they are being read.
 *
 * <p>Descriptors are indexes into a table of its own, handed out again after {@code close}, as the
 * kernel does.
 */
final class ChannelSystemCalls implements SystemCalls {

  static final String NAME = "channel";

  /**
   * An open file. {@code channel} is null for files that are open for writing. A folder has
   * neither, since Windows opens none.
   */
  private record Entry(
      Path path, FileChannel channel, RandomAccessFile steady, BasicFileAttributes attributes) {

    boolean isWritable() {
      return channel == null && steady != null;
    }
  }

  /** The open files by descriptor, copied for each new one: reads look a file up without a lock. */
  private volatile Entry[] table = new Entry[16];

  private final Object tableLock = new Object();

  /**
   * The last failure, kept per thread like C's errno and for the same reason: no other thread's
   * call can come between a call that failed and the question why it did.
   */
  private static final ThreadLocal<IOException> LAST_FAILURE = new ThreadLocal<>();

  private final boolean isWindows;
  private final boolean isMac;

  ChannelSystemCalls() {
    this(System.getProperty("os.name", ""));
  }

  /**
   * @param os the name of the operating system, as the system property {@code os.name} has it
   */
  ChannelSystemCalls(String os) {
    this.isWindows = os.startsWith("Windows");
    this.isMac = os.startsWith("Mac");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public NativeBuffer allocate(int size, int alignment) {
    return new NativeBuffer(NativeBuffer.alignedMemory(size, alignment));
  }

  @Override
  public ByteBuffer map(int size) {
    return ChannelMemory.map(size);
  }

  @Override
  public NativeBuffer wrap(ByteBuffer mapped) {
    return new NativeBuffer(mapped.duplicate().clear());
  }

  @Override
  public boolean mapIsLazy() {
    return false;
  }

  @Override
  public IoVector newVector(int capacity) {
    return new IoVector(capacity, null, null);
  }

  @Override
  public int open(Path path, OpenMode mode) {
    try {
      if (mode.isDirect()) {
        return refuseDirect(path, mode);
      }
      return register(mode == OpenMode.READ ? openForReading(path) : openForWriting(path, mode));
    } catch (IOException e) {
      return failed(e);
    }
  }

  /**
   * Refuses direct I/O as the kernel does where the file system has no {@code O_DIRECT}: only after
   * the file has been found or created.
   */
  private static int refuseDirect(Path path, OpenMode mode) throws IOException {
    if (mode == OpenMode.CREATE_DIRECT) {
      Files.createFile(path);
    } else {
      Files.readAttributes(path, BasicFileAttributes.class);
    }
    // Else it would be the kernel's answer, and an administrator would look at the file system.
    LAST_FAILURE.set(new IOException("this backend has no direct I/O"));
    return -Errno.EINVAL;
  }

  private static Entry openForReading(Path path) throws IOException {
    // Two opens of one path could open two different files. Comparing the path's key before and
    // after them reveals that.
    BasicFileAttributes before = Files.readAttributes(path, BasicFileAttributes.class);
    if (before.isDirectory()) {
      return new Entry(path, null, null, before);
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    RandomAccessFile steady = null;
    try {
      // What is no regular file either need not open as one; fstat then tells what it is.
      if (before.isRegularFile() && path.getFileSystem().equals(FileSystems.getDefault())) {
        steady = randomAccess(path, "r");
      }
      BasicFileAttributes after = Files.readAttributes(path, BasicFileAttributes.class);
      if (!Objects.equals(before.fileKey(), after.fileKey())) {
        throw new IOException("replaced while it was being opened: " + path);
      }
      return new Entry(path, channel, steady, after);
    } catch (Throwable t) {
      closeAfter(t, channel);
      closeAfter(t, steady);
      throw t;
    }
  }

  private static void closeAfter(Throwable failure, Closeable opened) {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  private static Entry openForWriting(Path path, OpenMode mode) throws IOException {
    if (mode != OpenMode.CREATE) {
      if (!Files.exists(path)) {
        // "rw" would create it.
        throw new NoSuchFileException(path.toString());
      }
      return openForWriting(path);
    }
    requireDecodable(path);
    // RandomAccessFile has no "must not exist" mode; here the file system decides it, atomically.
    Files.createFile(path);
    try {
      return openForWriting(path);
    } catch (Throwable t) {
      // With too many open files, for example, open(2) would not have created it.
      FileOpener.deleteAfter(t, path);
      throw t;
    }
  }

  private static RandomAccessFile randomAccess(Path path, String mode) throws IOException {
    requireDecodable(path);
    return new RandomAccessFile(path.toFile(), mode);
  }

  /**
   * Rejects a name that can't be decoded. {@code java.io} takes a string, in which bytes that mean
   * nothing in the locale's charset have been replaced, so it would open another file.
   */
  private static void requireDecodable(Path path) throws IOException {
    if (!isDecodable(path)) {
      throw new IOException(
          "its name can't be decoded by this process's charset of file names ("
              + System.getProperty("sun.jnu.encoding")
              + "), and backend "
              + NAME
              + " has no other way to it: start the JVM with the locale the name was made in"
              + " (LC_ALL), rename it, or use backend ffm or jni: "
              + path);
    }
  }

  private static boolean isDecodable(Path path) {
    try {
      return path.toFile().toPath().equals(path);
    } catch (InvalidPathException e) {
      // The charset lacks even the character that replaces what it can't decode.
      return false;
    }
  }

  private static Entry openForWriting(Path path) throws IOException {
    RandomAccessFile file = randomAccess(path, "rw");
    try {
      return new Entry(path, null, file, Files.readAttributes(path, BasicFileAttributes.class));
    } catch (Throwable t) {
      closeAfter(t, file);
      throw t;
    }
  }

  @Override
  public int close(int fd) {
    Entry entry;
    synchronized (tableLock) {
      entry = lookUp(fd);
      if (entry == null) {
        return failed(Errno.EBADF);
      }
      // The table is changed in place, since there may be no memory for a copy. Whoever looks the
      // file up by then has no right to it.
      Entry[] current = table;
      current[fd] = null;
      table = current;
    }
    RandomAccessFile steady = entry.steady();
    FileChannel channel = entry.channel();
    try (steady;
        channel) {
      return 0;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public long pread(int fd, NativeBuffer dst, int offset, int length, long position) {
    return read(fd, dst.bytes().slice(offset, length), position);
  }

  @Override
  public long preadv(int fd, IoVector vector, long position) {
    Entry entry = lookUp(fd);
    if (entry == null || entry.channel() == null) {
      return failed(Errno.EBADF);
    }
    long done = 0;
    for (int i = 0; i < vector.size(); i++) {
      int place = vector.first() + i;
      int length = vector.length(place);
      long n = read(fd, vector.memory(place).slice(vector.offset(place), length), position + done);
      if (n < 0) {
        return done > 0 ? done : n;
      }
      done += n;
      if (n < length) {
        break;
      }
    }
    return done;
  }

  /** Reads into {@code target} from its first byte on; its position afterwards does not matter. */
  private long read(int fd, ByteBuffer target, long position) {
    Entry entry = lookUp(fd);
    if (entry == null || entry.channel() == null) {
      return failed(Errno.EBADF);
    }
    // An interrupt that came before the call would close the channel at once, so it is put aside.
    boolean interrupted = Thread.interrupted();
    try {
      if (entry.channel().isOpen()) {
        try {
          return Math.max(0, entry.channel().read(target, position));
        } catch (ClosedChannelException e) {
          // An interrupt of this thread or of another closed it. Ours is pending again, so it is
          // put aside, too, and nothing below is affected by it.
          interrupted |= Thread.interrupted();
        }
      }
      return entry.equals(lookUp(fd)) ? readSteadily(entry, target, position) : failed(Errno.EBADF);
    } catch (IOException e) {
      return failed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static long readSteadily(Entry entry, ByteBuffer target, long position)
      throws IOException {
    if (entry.steady() == null) {
      throw new IOException("an interrupt has closed its channel");
    }
    byte[] bytes = new byte[target.capacity()];
    int n;
    synchronized (entry.steady()) {
      entry.steady().seek(position);
      n = entry.steady().read(bytes);
    }
    if (n > 0) {
      target.put(0, bytes, 0, n);
    }
    return Math.max(0, n);
  }

  @Override
  public long pwrite(int fd, NativeBuffer src, int offset, int length, long position) {
    Entry entry = lookUp(fd);
    if (entry == null || !entry.isWritable()) {
      return failed(Errno.EBADF);
    }
    byte[] bytes = new byte[length];
    src.get(offset, bytes, 0, length);
    try {
      synchronized (entry.steady()) {
        entry.steady().seek(position);
        entry.steady().write(bytes);
      }
      return length;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public int ftruncate(int fd, long length) {
    Entry entry = lookUp(fd);
    if (entry == null || !entry.isWritable()) {
      return failed(Errno.EBADF);
    }
    try {
      entry.steady().setLength(length);
      return 0;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public int fsync(int fd) {
    Entry entry = lookUp(fd);
    if (entry == null) {
      return failed(Errno.EBADF);
    }
    if (isWindows && entry.attributes().isDirectory()) {
      // It can't be synced there, and was there a moment ago, which its opening has found out.
      return 0;
    }
    if (entry.steady() == null) {
      return force(entry);
    }
    try {
      FileDescriptor descriptor = entry.steady().getFD();
      descriptor.sync();
      // On macOS this is fsync(2), which leaves the bytes in the device's own memory; a channel
      // calls fcntl(F_FULLFSYNC). That is not called instead: an interrupt would hide its error.
      return isMac ? force(entry) : 0;
    } catch (IOException e) {
      return failed(e);
    }
  }

  /** Syncs through a new channel for each attempt, since an interrupt closes the channel. */
  private int force(Entry entry) {
    StandardOpenOption mode =
        entry.isWritable() ? StandardOpenOption.WRITE : StandardOpenOption.READ;
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try (FileChannel channel = FileChannel.open(entry.path(), mode)) {
          channel.force(true);
          return 0;
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } catch (IOException e) {
      return failed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public int fdatasync(int fd) {
    return fsync(fd);
  }

  @Override
  public int fstat(int fd, FileStat stat) {
    Entry entry = lookUp(fd);
    if (entry == null) {
      return failed(Errno.EBADF);
    }
    BasicFileAttributes attributes = entry.attributes();
    try {
      if (attributes.isRegularFile()) {
        // This is the size of the open file, not of whatever the path leads to by now.
        long size = entry.steady() != null ? entry.steady().length() : entry.channel().size();
        stat.set(FileStat.Kind.REGULAR, 0, 0, size, 0, 0);
      } else {
        FileStat.Kind kind =
            attributes.isDirectory() ? FileStat.Kind.DIRECTORY : FileStat.Kind.OTHER;
        stat.set(kind, 0, 0, attributes.size(), 0, 0);
      }
      return 0;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private int register(Entry entry) {
    synchronized (tableLock) {
      Entry[] copy = table;
      int fd = 0;
      while (fd < copy.length && copy[fd] != null) {
        fd++;
      }
      copy = Arrays.copyOf(copy, fd < copy.length ? copy.length : 2 * copy.length);
      copy[fd] = entry;
      table = copy;
      return fd;
    }
  }

  private Entry lookUp(int fd) {
    Entry[] current = table;
    return fd >= 0 && fd < current.length ? current[fd] : null;
  }

  @Override
  public IOException takeFailure() {
    IOException failure = LAST_FAILURE.get();
    LAST_FAILURE.remove();
    return failure;
  }

  private int failed(IOException e) {
    LAST_FAILURE.set(e);
    return -errno(e);
  }

  /** Returns the negative of an errno of our own, about which there is nothing more to say. */
  private int failed(int errno) {
    LAST_FAILURE.remove();
    return -errno;
  }

  private static int errno(IOException e) {
    if (e instanceof NoSuchFileException) {
      return Errno.ENOENT;
    }
    if (e instanceof FileAlreadyExistsException) {
      return Errno.EEXIST;
    }
    if (e instanceof AccessDeniedException) {
      return Errno.EACCES;
    }
    int known = e.getMessage() == null ? 0 : Errno.fromMessage(e.getMessage());
    return known == 0 ? Errno.EIO : known;
  }
}
