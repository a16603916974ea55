/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.load.OpenLoop;
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
 * A scenario at work on one index. A phase is {@link #begin}, requests of many threads, {@link
 * #end}, {@link #verify}; there may be several, and {@link #finish} comes after the last.
 * Everything but the requests is one thread's.
 */
final class Work implements Closeable {
  private final Directory directory;
  private final Scenario.Operation operation;
  private final Load load;
  private final List<String> texts;
  private final long keys;
  private final LimitedWriter beside;
  private final ReaderManager readers;
  private final LongAdder docs = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private Writes writes;
  private long versions;

  /**
   * @param directory of the index, which is emptied at the beginning of each phase to be added to
   * @param texts to write documents with
   */
  Work(Directory directory, Scenario scenario, Load load, List<String> texts) throws IOException {
    this.directory = directory;
    this.operation = scenario.operation();
    this.load = load;
    this.texts = texts;
    if (operation == Scenario.Operation.ADD) {
      keys = 0;
    } else {
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        keys = reader.numDocs();
      }
    }
    beside = scenario.whileWriting() ? new LimitedWriter(directory, texts, load, keys) : null;
    readers =
        beside != null
            ? beside.readers()
            : scenario.writes() ? null : new ReaderManager(DirectoryReader.open(directory));
    if (beside != null) {
      beside.start();
    }
  }

  /**
   * Begins a phase.
   *
   * @param phase of which it draws keys of its own
   */
  OpenLoop.Request begin(int phase) throws IOException {
    docs.reset();
    bytes.reset();
    if (readers != null) {
      return reads(phase);
    }
    boolean adds = operation == Scenario.Operation.ADD;
    if (adds || writes == null) {
      IOUtils.close(writes);
      writes = new Writes(directory, texts, adds);
    }
    // Above all versions of the phases before.
    versions += 1L << 40;
    long base = versions;
    return number -> {
      bytes.add(
          adds
              ? writes.write(number, 0)
              : writes.write(load.key(phase, number, keys), base + number));
      docs.increment();
    };
  }

  @SuppressWarnings("ThreadLocalUsage") // Gone with the phase, as its threads are.
  private OpenLoop.Request reads(int phase) {
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

  private void read(KeyReader reader, int phase, long number) throws IOException, HitMismatch {
    int count = (int) Math.min(keys, Load.RANGE);
    switch (operation) {
      case GET -> {
        count = 1;
        long key = load.key(phase, number, keys);
        bytes.add(reader.fetch(reader.find(key), key).body().length());
      }
      case MULTI_GET -> {
        count = Load.BATCH;
        bytes.add(batch(reader, phase, number * count, count));
      }
      case FORWARD -> bytes.add(reader.forward(load.key(phase, number, keys - count + 1), count));
      case REVERSE ->
          bytes.add(reader.reverse(count - 1 + load.key(phase, number, keys - count + 1), count));
      default -> throw new IllegalStateException(operation + " reads nothing");
    }
    docs.add(count);
  }

  private long batch(KeyReader reader, int phase, long first, int count)
      throws IOException, HitMismatch {
    long[] wanted = new long[count];
    int[] found = new int[count];
    Arrays.setAll(wanted, i -> load.key(phase, first + i, keys));
    for (int i = 0; i < count; i++) {
      found[i] = reader.find(wanted[i]);
    }
    for (int doc : found) {
      reader.prefetch(doc);
    }
    long length = 0;
    for (int i = 0; i < count; i++) {
      length += reader.fetch(found[i], wanted[i]).body().length();
    }
    return length;
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

  /** Checks what a phase wrote; answers were checked as they came. */
  void verify() throws IOException, HitMismatch {
    if (writes != null) {
      writes.verify(operation == Scenario.Operation.ADD ? docs() : keys);
    }
  }

  /** Ends the writer beside the requests, whose documents are checked then. */
  void finish() throws IOException, HitMismatch {
    if (beside != null) {
      beside.finish();
    }
  }

  /** Documents read or written by the requests of the phase. */
  long docs() {
    return docs.sum();
  }

  /** Bytes of their texts. */
  long bytes() {
    return bytes.sum();
  }

  /** Bytes of texts that a writer beside the requests has written, from the beginning on. */
  long besideBytes() {
    return beside == null ? 0 : beside.bytes();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(writes, beside, readers);
  }
}
