/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.DataPattern;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/**
 * Makes the reads of an operation: sixteen whole blocks into an array. The same code reads when it
 * is measured and when every byte is checked. It is for one thread.
 */
final class Kernel {
  static final int READS = 16;

  /** A prime number above the number of blocks: ranks times it are blocks all over the file. */
  private static final long SCATTER = 2_147_483_647;

  private final Source.BlockReader reader;
  private final Shape shape;
  private final long blocks;
  private final LongSupplier draws;
  private final byte[] block;

  /** Where the blocks are that are announced together, and which of them is read next. */
  private final long[] positions;

  private int at;
  private long next;

  /**
   * Says what is read.
   *
   * @param zipf exponent of their frequencies where they are read at random; 0 for all alike
   * @param announced the number of blocks that are announced together, for one or more operations
   */
  record Shape(Order order, int bytes, double zipf, int announced) {}

  /**
   * @param reader of a file of {@link DataPattern}
   * @param length of the file, which has room for an operation; what is left over behind its last
   *     whole block is not read
   */
  Kernel(Source.BlockReader reader, Shape shape, long length, SplittableRandom random) {
    this.reader = reader;
    this.shape = shape;
    this.blocks = length / shape.bytes();
    this.block = new byte[shape.bytes()];
    this.positions = new long[shape.announced()];
    this.at = positions.length;
    if (shape.zipf() == 0) {
      long starts = shape.order() == Order.RANDOM ? blocks : blocks - READS + 1;
      draws = () -> random.nextLong(starts);
    } else {
      DiscreteSampler ranks =
          RejectionInversionZipfSampler.of(random::nextLong, Math.toIntExact(blocks), shape.zipf());
      draws = () -> ranks.sample() * SCATTER % blocks;
    }
  }

  /**
   * Makes one operation.
   *
   * @param check whether to compare every word of every block with what it should be
   * @throws dev.pread.benchmarks.machine.WrongResult if it is not what the file has there
   */
  byte[] run(boolean check) throws IOException {
    choose();
    for (int i = 0; i < READS; i++) {
      long position = positions[at++];
      reader.read(position, block);
      if (check) {
        DataPattern.checkAll(block, position);
      }
    }
    return block;
  }

  /**
   * Makes one operation with the time of each read, of which the first and last word is checked.
   */
  byte[] run(Histogram latencies) throws IOException {
    choose();
    for (int i = 0; i < READS; i++) {
      long position = positions[at++];
      long before = System.nanoTime();
      reader.read(position, block);
      latencies.recordValue(System.nanoTime() - before);
      DataPattern.check(block, position, block.length);
    }
    return block;
  }

  /** Draws what comes next and announces it, if all that was announced has been read. */
  private void choose() throws IOException {
    if (at < positions.length) {
      return;
    }
    at = 0;
    if (shape.order() == Order.FILE) {
      next = next + positions.length > blocks ? 0 : next;
    }
    for (int i = 0; i < positions.length; i++) {
      if (shape.order() == Order.RANDOM || (shape.order() == Order.SEQUENTIAL && i % READS == 0)) {
        next = draws.getAsLong();
      }
      positions[i] = next++ * block.length;
    }
    reader.prefetch(positions, block.length);
  }

  /** Reads every whole block of the first bytes once, one after the other. */
  void readAll(long length) throws IOException {
    long end = Math.min(blocks, length / block.length);
    for (long i = 0; i < end; i++) {
      reader.read(i * block.length, block);
    }
  }
}
