/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * What {@link Posix#fstat} tells of an open descriptor. (device, inode) is the file's identity: a
 * path is not, since it may be renamed or replaced between two looks at it. The times tell whether
 * it has the same bytes still, as far as the clock of the file system goes.
 *
 * <p>An out-parameter as in C, not thread-safe.
 */
public final class FileStat {

  /** What kind of file a descriptor refers to. */
  public enum Kind {
    /** A regular file. */
    REGULAR,
    /** A directory. */
    DIRECTORY,
    /** A pipe, a socket, a device. */
    OTHER
  }

  private long device;
  private long inode;
  private long size;
  private long modifiedNanos;
  private long changedNanos;
  private Kind kind = Kind.OTHER;

  /** Creates an empty one, to be filled by {@link Posix#fstat}. */
  public FileStat() {}

  /** Fills in all values but the times; called by backends. */
  public void set(Kind kind, long device, long inode, long size) {
    this.kind = kind;
    this.device = device;
    this.inode = inode;
    this.size = size;
  }

  /** Fills in the times, in nanoseconds since the epoch; called by backends that can tell them. */
  public void setTimes(long modifiedNanos, long changedNanos) {
    this.modifiedNanos = modifiedNanos;
    this.changedNanos = changedNanos;
  }

  /** {@code st_dev}, or 0 where the backend can't tell. */
  public long device() {
    return device;
  }

  /** {@code st_ino}, or 0 where the backend can't tell. */
  public long inode() {
    return inode;
  }

  /** {@code st_size} in bytes. */
  public long size() {
    return size;
  }

  /** {@code st_mtim} in nanoseconds since the epoch, or 0 where the backend can't tell. */
  public long modifiedNanos() {
    return modifiedNanos;
  }

  /** {@code st_ctim} in nanoseconds since the epoch, or 0 where the backend can't tell. */
  public long changedNanos() {
    return changedNanos;
  }

  /** The file type bits of {@code st_mode}. */
  public Kind kind() {
    return kind;
  }

  @Override
  public String toString() {
    return kind + "(device=" + device + ", inode=" + inode + ", size=" + size + ")";
  }
}
