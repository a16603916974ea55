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
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;

/**
 * Does a scenario's work on one index. A phase is {@link #begin}, requests of many threads, {@link
 * #end}; there may be several, and {@link #finish} comes after the last. Everything but the
 * requests is one thread's.
 */
final class Work implements Closeable {
  /** The phase by which the writer beside the requests draws keys of its own. */
  private static final int WRITER_PHASE = 100;

  private final Directory directory;
  private final Scenario.Operation operation;
  private final long seed;
  private final List<String> texts;
  private final long keys;
  private final LimitedWriter beside;
  private final ReaderManager readers;
  private final Neighbours neighbours;
  private final LongAdder written = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private Writes writes;
  private long versions;

  /**
   * @param directory of the index, which is emptied at the beginning of each phase to be added to
   */
  Work(Directory directory, Scenario scenario, long seed, List<String> texts) throws IOException {
    this.directory = directory;
    this.operation = scenario.operation();
    this.seed = seed;
    this.texts = texts;
    keys = adds() ? 0 : keys(directory);
    neighbours = scenario.ofVectors() ? new Neighbours(directory, operation) : null;
    if (scenario.whileWriting()) {
      Writes updates = new Writes(directory, texts, false);
      beside = LimitedWriter.start(updates, number -> key(WRITER_PHASE, number, keys));
      readers = beside.readers();
    } else {
      beside = null;
      boolean reads = !scenario.writes() && neighbours == null;
      readers = reads ? new ReaderManager(DirectoryReader.open(directory)) : null;
    }
  }

  private static long keys(Directory directory) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      return reader.numDocs();
    }
  }

  private boolean adds() {
    return operation == Scenario.Operation.ADD;
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
    written.reset();
    bytes.reset();
    if (neighbours != null) {
      // What the warmup answered is checked, and is no part of the recall.
      neighbours.verify();
      return number -> neighbours.search(number, key(phase, number, Long.MAX_VALUE));
    }
    if (readers != null) {
      return reads(phase);
    }
    if (adds() || writes == null) {
      IOUtils.close(writes);
      writes = new Writes(directory, texts, adds());
    }
    // Above all versions of the phases before.
    versions += 1L << 40;
    long base = versions;
    return number -> {
      bytes.add(
          adds() ? writes.write(number, 0) : writes.write(key(phase, number, keys), base + number));
      written.increment();
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
        bytes.add(read(mine, phase, number));
      } finally {
        readers.release(reader);
      }
    };
  }

  /** Returns the length of the texts that were read. */
  private long read(KeyReader reader, int phase, long number) throws IOException {
    int count = (int) Math.min(keys, operation.docs());
    return switch (operation) {
      case GET -> {
        long key = key(phase, number, keys);
        yield reader.fetch(reader.find(key), key).body().length();
      }
      case MULTI_GET -> {
        long[] wanted = new long[operation.docs()];
        Arrays.setAll(wanted, i -> key(phase, number * wanted.length + i, keys));
        yield reader.batch(wanted);
      }
      case FORWARD -> reader.forward(key(phase, number, keys - count + 1), count);
      case REVERSE -> reader.reverse(count - 1 + key(phase, number, keys - count + 1), count);
      default -> throw new IllegalStateException(operation + " reads nothing");
    };
  }

  /** Ends a phase: makes what was written durable, which is part of what is measured. */
  void end() throws IOException {
    if (writes != null) {
      writes.writer().commit();
    }
    if (beside != null) {
      beside.checkAlive();
    }
  }

  /** Checks what a phase wrote, and neighbours; other answers were checked as they came. */
  void verify() throws IOException {
    if (neighbours != null) {
      neighbours.verify();
    }
    if (writes != null) {
      writes.verify(adds() ? written.sum() : keys);
    }
  }

  /** Ends the writer beside the requests, whose documents are checked then. */
  void finish() throws IOException {
    if (beside != null) {
      beside.finish(keys);
    }
  }

  /** Returns the bytes of the texts that the requests of the phase read or wrote. */
  long bytes() {
    return bytes.sum();
  }

  /**
   * Returns the bytes of the texts that a writer beside the requests has written, from the
   * beginning on.
   */
  long besideBytes() {
    return beside == null ? 0 : beside.bytes();
  }

  /** Returns {@link Neighbours#recalls}; nothing if the requests seek none. */
  List<Double> recalls() {
    return neighbours == null ? List.of() : neighbours.recalls();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(writes, beside, readers, neighbours);
  }
}
