/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.nio.charset.StandardCharsets;

/**
 * The format of a trace file, version 1. It is written and read as a stream: a recording needs no
 * memory for its length, and a reader knows of nothing before it stands in the file.
 *
 * <pre>
 * trace   := magic version record* end
 * magic   := the 8 bytes "LPRTRACE"
 * version := varint, 1
 * record  := varint tag, and what belongs to it; the lower 2 bits of the tag are the kind, the rest
 *            is the value v:
 *   0  access   v = zigzag(block - last block) in the same file and with the same flags as the
 *               access before
 *   1  access   v = file &lt;&lt; 3 | flags; then varint zigzag(block - last block of that file)
 *   2  file     v = bytes of the name; then the name in UTF-8, then varint length of the file in
 *               bytes; it gets the next file number, from 0
 *   3  delete   v = file + 1: no access is expected any more, its blocks can be freed
 * end     := varint tag of kind 3 with v = 0; varint number of accesses; 4 bytes, most significant
 *            first: the CRC-32 of everything before them
 * varint  := up to 9 bytes of 7 bits, least significant first, the eighth bit set on all but the
 *            last: 0 to 2^63 - 1
 * zigzag  := 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
 * </pre>
 *
 * <p>An access is one block of 4,096 bytes, counted from the start of the file. The last block of a
 * file that has none yet is 0, and so is the file before the first access, with no flags. Flags:
 * {@value #ONCE}, the input was opened for a merge, for a flush, or to be read once; {@value
 * #SEQUENTIAL}, it was announced to be read from end to end, when it was opened or later; {@value
 * #MERGE_THREAD}, a merge thread read, whatever the input was opened for. The table of files is
 * spread over the trace, each file before its first access; files that were there at the beginning
 * come first. A file that is deleted and written again under its name is another file.
 *
 * <p>A file without the end was not closed: the recording was interrupted.
 */
final class TraceFormat {
  static final byte[] MAGIC = "LPRTRACE".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 1;

  /** Bytes of a block, and the power of two that they are. */
  static final int BLOCK_SIZE = 4096;

  static final int BLOCK_SHIFT = 12;

  static final int KIND_BITS = 2;
  static final int KIND_MASK = 3;
  static final int SAME_FILE = 0;
  static final int OTHER_FILE = 1;
  static final int FILE = 2;
  static final int DELETE = 3;

  static final int FLAG_BITS = 3;
  static final int FLAG_MASK = 7;

  /** The input was opened for a merge, for a flush, or to be read once. */
  static final int ONCE = 1;

  /** A merge thread read. */
  static final int MERGE_THREAD = 2;

  /** No file system has longer ones; keeps a damaged length from being believed. */
  static final int MAX_NAME_BYTES = 1024;

  /** 16 TiB: a block number fits 32 bits. */
  static final long MAX_FILE_LENGTH = 1L << (32 + BLOCK_SHIFT);

  /** A file number fits 28 bits. */
  static final int MAX_FILES = 1 << 28;

  /** The input was announced to be read from end to end, when it was opened or later. */
  static final int SEQUENTIAL = 4;

  private TraceFormat() {}

  static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }

  static long unZigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }

  /** How many blocks of some size a file has. */
  static long blocks(long length, int blockSize) {
    return (length + blockSize - 1) / blockSize;
  }
}
