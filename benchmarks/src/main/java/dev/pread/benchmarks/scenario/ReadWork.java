/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.ReaderManager;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;

/** Reads by key, one at a time, in batches or in order; perhaps beside a writer. */
final class ReadWork implements Work {
  private final Scenario.Operation operation;
  private final Load load;
  private final LimitedWriter writer;
  private final ReaderManager readers;
  private final long keys;
  private final LongAdder docs = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /** Reads a directory, which nobody changes if there is no writer. */
  ReadWork(Directory directory, Scenario scenario, Load load, Bodies bodies) throws IOException {
    this.operation = scenario.operation();
    this.load = load;
    if (scenario.whileWriting()) {
      writer = LimitedWriter.start(directory, bodies, load);
      readers = writer.readers();
    } else {
      writer = null;
      readers = new ReaderManager(DirectoryReader.open(directory));
    }
    DirectoryReader reader = readers.acquire();
    try {
      keys = reader.numDocs();
    } finally {
      readers.release(reader);
    }
  }

  @Override
  @SuppressWarnings("ThreadLocalUsage") // Gone with the phase, as its threads are.
  public OpenLoop.Request begin(int phase) {
    docs.reset();
    bytes.reset();
    ThreadLocal<KeyReader> own = new ThreadLocal<>();
    return number -> {
      DirectoryReader reader = readers.acquire();
      try {
        KeyReader mine = own.get();
        if (mine == null || !mine.reader().equals(reader)) {
          mine = new KeyReader(reader);
          own.set(mine);
        }
        serve(mine, phase, number);
      } finally {
        readers.release(reader);
      }
    };
  }

  private void serve(KeyReader reader, int phase, long number) throws IOException, HitMismatch {
    int count = (int) Math.min(keys, operation == Scenario.Operation.GET ? 1 : load.range());
    switch (operation) {
      case GET -> {
        long key = load.key(phase, number, keys);
        bytes.add(reader.fetch(reader.find(key), key));
      }
      case MULTI_GET -> {
        count = load.batch();
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
      length += reader.fetch(found[i], wanted[i]);
    }
    return length;
  }

  @Override
  public void end() throws IOException, UserError, HitMismatch {
    if (writer != null) {
      writer.checkAlive();
    }
  }

  @Override
  public void verify() {
    // Each answer was checked.
  }

  @Override
  public long docs() {
    return docs.sum();
  }

  @Override
  public long bytes() {
    return bytes.sum();
  }

  @Override
  public long besideBytes() {
    return writer == null ? 0 : writer.bytes();
  }

  /** Ends the writer, whose documents are checked then. */
  void finish() throws IOException, HitMismatch {
    if (writer != null) {
      writer.finish();
    }
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(writer, readers);
  }
}
