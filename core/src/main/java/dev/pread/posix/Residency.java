/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** Says whether a byte of a file is in the page cache, as {@link PosixFile#residency} finds it. */
public enum Residency {
  /** A read of it does not wait for the disk. */
  RESIDENT,
  /** A read of it waits for the disk. */
  ABSENT,
  /** This system, file system or backend can't tell. */
  UNKNOWN
}
