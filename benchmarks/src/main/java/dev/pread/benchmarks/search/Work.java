/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Load;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.ReaderManager;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;

/**
 * Does a scenario's work on one index. A phase is {@link #begin}, requests of many threads, {@link
 * #end}; there may be several, and {@link #finish} comes after the last. Everything but the
 * requests is one thread's.
 */
final class Work implements Closeable {
  static final int BATCH = 32;

  private static final int RANGE = 100;

  /** The phase by which the writer beside the requests draws keys of its own. */
  private static final int WRITER_PHASE = 100;

  private final Scenario scenario;
  private final long seed;
  private final long keys;
  private final LongAdder added = new LongAdder();
  private Neighbours neighbours;
  private Writes writes;
  private ReaderManager readers;

  /**
   * @param directory of the index, which is emptied at the beginning of each phase to be added to
   */
  Work(Directory directory, Scenario scenario, long seed, List<String> texts) throws IOException {
    this.scenario = scenario;
    this.seed = seed;
    this.keys = adds() ? 0 : SegmentInfos.readLatestCommit(directory).totalMaxDoc();
    if (scenario.ofVectors()) {
      neighbours = new Neighbours(directory, scenario);
    } else if (scenario.whileWriting()) {
      writes = new Writes(directory, texts, false);
      readers = new ReaderManager(writes.writer());
      writes.start(number -> key(WRITER_PHASE, number, keys), readers);
    } else if (scenario.writes()) {
      writes = new Writes(directory, texts, adds());
    } else {
      readers = new ReaderManager(directory);
    }
  }

  private boolean adds() {
    return scenario == Scenario.BULK_LOAD;
  }

  /** Draws the key of a request: the same for every contender, and any number of times. */
  private long key(long phase, long number, long among) {
    long mixed = DataPattern.word(DataPattern.word(seed ^ phase << 48) + number);
    return Math.floorMod(mixed, among);
  }

  /**
   * Begins a phase.
   *
   * @param phase of which it draws keys of its own
   */
  Load.Request begin(int phase) throws IOException {
    if (neighbours != null) {
      // What the warmup answered is checked, and is no part of the recall.
      neighbours.verify();
      return number -> neighbours.search(number, key(phase, number, Long.MAX_VALUE));
    }
    if (readers != null) {
      return reads(phase);
    }
    if (adds()) {
      writes.clear();
      added.reset();
    }
    return number -> {
      if (adds()) {
        writes.write(number, 0);
        added.increment();
      } else {
        writes.write(key(phase, number, keys), number + 1);
      }
    };
  }

  @SuppressWarnings("ThreadLocalUsage") // Gone with the phase, as its threads are.
  private Load.Request reads(int phase) {
    ThreadLocal<KeyReader> own = new ThreadLocal<>();
    return number -> {
      DirectoryReader reader = readers.acquire();
      try {
        KeyReader mine = own.get();
        if (mine == null || !mine.reader().equals(reader)) {
          mine = new KeyReader(reader);
          own.set(mine);
        }
        read(mine, phase, number);
      } finally {
        readers.release(reader);
      }
    };
  }

  private void read(KeyReader reader, int phase, long number) throws IOException {
    int count = (int) Math.min(keys, RANGE);
    switch (scenario) {
      case READ_RANDOM, READ_WHILE_WRITING -> reader.fetch(key(phase, number, keys));
      case MULTI_READ_RANDOM -> {
        long[] wanted = new long[BATCH];
        Arrays.setAll(wanted, i -> key(phase, number * wanted.length + i, keys));
        reader.batch(wanted);
      }
      case FWD_RANGE, FWD_RANGE_WHILE_WRITING ->
          reader.forward(key(phase, number, keys - count + 1), count);
      case REV_RANGE, REV_RANGE_WHILE_WRITING ->
          reader.reverse(count - 1 + key(phase, number, keys - count + 1), count);
      default -> throw new IllegalStateException(scenario + " reads nothing");
    }
  }

  /** Ends a phase: makes what was written durable, which is part of what is measured. */
  void end() throws IOException {
    if (readers == null && writes != null) {
      writes.writer().commit();
    }
  }

  /** Checks what a phase wrote, and neighbours; other answers were checked as they came. */
  void verify() throws IOException {
    if (neighbours != null) {
      neighbours.verify();
    } else if (readers == null) {
      writes.verify(adds() ? added.sum() : keys);
    }
  }

  /** Ends the writer beside the requests, whose documents are checked then. */
  void finish() throws IOException {
    if (scenario.whileWriting()) {
      writes.finish(keys);
    }
  }

  /** Returns the recall of the phase that was verified last, in a scenario of vectors. */
  double recall() {
    return neighbours.recall();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(writes, readers, neighbours);
  }
}
