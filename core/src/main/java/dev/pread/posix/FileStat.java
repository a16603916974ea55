/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Holds what {@link SystemCalls#fstat} reports about an open descriptor. The pair (device, inode)
 * is the file's identity. A path is not, since the file may be renamed or replaced between two
 * looks at it. The times tell whether the file still has the same bytes, as far as the resolution
 * of the file system's clock allows.
 *
 * <p>This is an out-parameter as in C, and is not thread-safe.
 */
public final class FileStat {

  /** Says what kind of file a descriptor refers to. */
  public enum Kind {
    /** A regular file. */
    REGULAR,
    /** A directory. */
    DIRECTORY,
    /** A pipe, a socket or a device. */
    OTHER
  }

  private long device;
  private long inode;
  private long size;
  private long modifiedNanos;
  private long changedNanos;
  private Kind kind = Kind.OTHER;

  /** Creates an empty instance, to be filled in by {@link SystemCalls#fstat}. */
  public FileStat() {}

  /**
   * Fills in all values; backends call this. What they can't tell is 0.
   *
   * @param modifiedNanos the time of the last write, in nanoseconds since the epoch
   * @param changedNanos the time of the last change of whatever kind
   */
  public void set(
      Kind kind, long device, long inode, long size, long modifiedNanos, long changedNanos) {
    this.kind = kind;
    this.device = device;
    this.inode = inode;
    this.size = size;
    this.modifiedNanos = modifiedNanos;
    this.changedNanos = changedNanos;
  }

  /** Returns {@code st_dev}, or 0 if the backend can't tell. */
  public long device() {
    return device;
  }

  /** Returns {@code st_ino}, or 0 if the backend can't tell. */
  public long inode() {
    return inode;
  }

  /** Returns {@code st_size} in bytes. */
  public long size() {
    return size;
  }

  /** Returns {@code st_mtim} in nanoseconds since the epoch, or 0 if the backend can't tell. */
  public long modifiedNanos() {
    return modifiedNanos;
  }

  /** Returns {@code st_ctim} in nanoseconds since the epoch, or 0 if the backend can't tell. */
  public long changedNanos() {
    return changedNanos;
  }

  /** Returns the kind that the file type bits of {@code st_mode} stand for. */
  public Kind kind() {
    return kind;
  }

  @Override
  public String toString() {
    return kind + "(device=" + device + ", inode=" + inode + ", size=" + size + ")";
  }
}
