/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.Libc;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.result.Contender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The ways to read that are compared, by the names they have in reports and on command lines. */
enum Strategy {
  MMAP_SEGMENT(Keeps.PAGES),
  MMAP_SEGMENT_RANDOM(Keeps.PAGES),
  MMAP_SEGMENT_RANDOM_PREFETCH(Keeps.PAGES),
  FFM_PREAD(Keeps.PAGES),
  CHANNEL_DIRECT(Keeps.PAGES),
  CHANNEL_HEAP(Keeps.PAGES),
  FFM_ODIRECT(Keeps.NOTHING),
  MMAP(Keeps.PAGES),
  NIOFS(Keeps.PAGES),
  DIRECT_IO_DIRECTORY(Keeps.NOTHING),
  PREAD(Keeps.BLOCKS),
  DIRECT(Keeps.BLOCKS),
  MMAP_PREFETCH(Keeps.PAGES),
  PREAD_PREFETCH(Keeps.BLOCKS),
  DIRECT_PREFETCH(Keeps.BLOCKS),
  MEMCPY(Keeps.EVERYTHING);

  /** What is in memory after a file has been read. */
  enum Keeps {
    /** The kernel's page cache. */
    PAGES,
    /** A block cache of the directory's own. */
    BLOCKS,
    /** Each read is one of the device. */
    NOTHING,
    /** All of it, from the beginning. */
    EVERYTHING
  }

  private final Keeps keeps;

  Strategy(Keeps keeps) {
    this.keeps = keeps;
  }

  /**
   * Looks a name up.
   *
   * @throws UserError if it is unknown
   */
  static Strategy named(String name) throws UserError {
    for (Strategy strategy : values()) {
      if (strategy.label().equals(name)) {
        return strategy;
      }
    }
    throw new UserError("unknown strategy '" + name + "': use some of " + labels());
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(Strategy::label).toList();
  }

  /** Its name. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Keeps keeps() {
    return keeps;
  }

  /** Whether it names all blocks of an operation before it reads the first. */
  boolean prefetches() {
    return name().endsWith("PREFETCH");
  }

  /** Whether a file system may refuse it. */
  boolean needsDirectIo() {
    return this == FFM_ODIRECT
        || this == DIRECT_IO_DIRECTORY
        || this == DIRECT
        || this == DIRECT_PREFETCH;
  }

  /** Whether there is something to measure. */
  boolean takesPartIn(Regime regime) {
    return this != MEMCPY || regime == Regime.FITS;
  }

  /**
   * The memory of its cache, the same in all regimes.
   *
   * @param memory limit of the process
   * @param heap of the process
   * @return 0 if it has none
   */
  long cacheBytes(long memory, long heap) {
    return switch (this) {
      // Room for the whole file that fits, beside which the page cache has the rest.
      case PREAD, PREAD_PREFETCH -> Regime.FITS.fileBytes(memory) + (16L << 20);
      // It is all there is: what the JVM leaves.
      case DIRECT, DIRECT_PREFETCH -> memory - heap - (160L << 20);
      default -> 0;
    };
  }

  Contender contender() {
    return switch (this) {
      case PREAD, DIRECT, PREAD_PREFETCH, DIRECT_PREFETCH -> Contender.ours(label());
      case MEMCPY -> Contender.ceiling(label());
      default -> Contender.other(label());
    };
  }

  /**
   * Opens a file.
   *
   * @param bytes of a block, a multiple of 4096
   * @throws UnavailableException if this processor's {@code O_DIRECT} is not known
   */
  Source open(Path file, int bytes) throws IOException, UnavailableException {
    return switch (this) {
      case MMAP_SEGMENT -> new MappedSource(file, Libc.NORMAL, false);
      case MMAP_SEGMENT_RANDOM -> new MappedSource(file, Libc.RANDOM, false);
      case MMAP_SEGMENT_RANDOM_PREFETCH -> new MappedSource(file, Libc.RANDOM, true);
      case FFM_PREAD -> new PreadSource(file, Libc.O_RDONLY_CLOEXEC, bytes);
      case CHANNEL_DIRECT -> new ChannelSource(file, bytes, true);
      case CHANNEL_HEAP -> new ChannelSource(file, bytes, false);
      case FFM_ODIRECT -> new PreadSource(file, Libc.directReadFlags(), bytes);
      case MMAP -> LuceneSource.mmap(file, false);
      case NIOFS -> LuceneSource.niofs(file);
      case DIRECT_IO_DIRECTORY -> LuceneSource.directIo(file, bytes);
      case PREAD -> LuceneSource.pread(file, false);
      case DIRECT -> LuceneSource.direct(file, false);
      case MMAP_PREFETCH -> LuceneSource.mmap(file, true);
      case PREAD_PREFETCH -> LuceneSource.pread(file, true);
      case DIRECT_PREFETCH -> LuceneSource.direct(file, true);
      case MEMCPY -> new CopySource(file);
    };
  }
}
