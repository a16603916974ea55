/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a cache with blocks of some size gets to do of a trace: keys to access, and those to forget
 * when their file is deleted. Blocks of 4 KiB are accessed as recorded. With larger ones, accesses
 * that follow each other immediately with the same key are one: an input that goes on reading has
 * its block at hand. (Where inputs take turns that is not seen, and where another input follows it
 * is taken for the same one, so policies can be compared at one block size, not hit ratios across
 * block sizes.) Immutable.
 */
final class Calls {
  private static final int FILE_SHIFT = 32;

  private final long[] calls;
  private final long accesses;
  private final long distinct;

  private Calls(long[] calls, long accesses, long distinct) {
    this.calls = calls;
    this.accesses = accesses;
    this.distinct = distinct;
  }

  /**
   * Translates a trace.
   *
   * @param blockSize bytes, 4,096 or a multiple
   */
  static Calls of(Trace trace, int blockSize, Bypass bypass) {
    if (blockSize <= 0 || blockSize % TraceFormat.BLOCK_SIZE != 0) {
      throw new IllegalArgumentException(
          "block size " + blockSize + " is no multiple of " + TraceFormat.BLOCK_SIZE);
    }
    Builder builder = new Builder(trace.size(), blockSize > TraceFormat.BLOCK_SIZE);
    int blocksPerBlock = blockSize / TraceFormat.BLOCK_SIZE;
    for (int i = 0; i < trace.size(); i++) {
      if (trace.isDelete(i)) {
        builder.delete(trace.file(i));
      } else if (!bypass.bypasses(trace.flags(i))) {
        builder.access(trace.file(i), trace.block(i) / blocksPerBlock);
      }
    }
    return new Calls(
        Arrays.copyOf(builder.calls, builder.size), builder.accesses, builder.distinct);
  }

  /** In order: a key to access, or -1 - key to forget. Not to be changed. */
  long[] all() {
    return calls;
  }

  /** How many of them are accesses. */
  long accesses() {
    return accesses;
  }

  /** How many keys are accessed: the misses of a cache that holds everything. */
  long distinct() {
    return distinct;
  }

  private static final class Builder {
    private final Map<Integer, Set<Long>> touched = new HashMap<>();
    private final boolean collapses;
    private long[] calls;
    private int size;
    private long accesses;
    private long distinct;
    private long last = -1;

    Builder(int expected, boolean collapses) {
      this.collapses = collapses;
      calls = new long[Math.max(1, expected)];
    }

    void access(int file, long block) {
      long key = (long) file << FILE_SHIFT | block;
      if (collapses && key == last) {
        return;
      }
      last = key;
      accesses++;
      if (touched.computeIfAbsent(file, f -> new HashSet<>()).add(key)) {
        distinct++;
      }
      add(key);
    }

    void delete(int file) {
      Set<Long> keys = touched.remove(file);
      if (keys != null) {
        keys.forEach(key -> add(-1 - key));
      }
      last = -1;
    }

    private void add(long call) {
      if (size == calls.length) {
        calls = Arrays.copyOf(calls, 2 * size);
      }
      calls[size++] = call;
    }
  }
}
