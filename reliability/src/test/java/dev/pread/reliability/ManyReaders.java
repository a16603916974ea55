/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.BlockCache;
import dev.pread.CacheStats;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;

/**
 * A JVM in which thousands of virtual threads announce and read at the same time, by both
 * directories, a file that is far larger than the cache; every byte is compared. In the end no
 * descriptor and no slot is missing. It prints one line when all was right.
 */
final class ManyReaders {

  /** How a line begins that this library has logged, with {@link #LOG_FORMAT}. */
  static final String LOGGED = "logged dev.pread";

  /** An option of the JVM that makes one line of each record. */
  static final String LOG_FORMAT =
      "-Djava.util.logging.SimpleFormatter.format=logged %3$s %4$s: %5$s%n";

  private static final int FILE_BYTES = 32 << 20;
  private static final int CACHE_BYTES = 4 << 20;
  private static final int BLOCK_BYTES = 16 << 10;
  private static final int PLACES = 8;
  private static final int PIECE = 512;

  private ManyReaders() {}

  /** The arguments are a folder, a backend, and how many threads there are. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Backend backend = BackendRegistry.get(args[1]);
    for (boolean direct : new boolean[] {false, true}) {
      try (BlockCache cache = new BlockCache(CACHE_BYTES, BLOCK_BYTES)) {
        try (Directory directory = KilledWriter.open(folder, config(args[1], cache), direct)) {
          read(directory, Integer.parseInt(args[2]));
          checkWasReadAhead(directory, backend, cache.stats());
        }
        Fixtures.checkAllSlotsCanBeHad(cache);
      }
      Workload.check(0L, backend.openFiles(), "files that the backend has open");
      Workload.check(0L, Fixtures.descriptorsIn(folder), "descriptors");
    }
    System.out.println("right ahead=" + backend.readAheadEngine());
  }

  /** Of what comes through the page cache the kernel reads ahead what was announced. */
  private static void checkWasReadAhead(Directory directory, Backend backend, CacheStats stats) {
    if (directory instanceof DirectPreadDirectory direct && !direct.usesPageCache()) {
      Workload.check(backend.readAheadEngine(), stats.prefetchEngine(), "what reads ahead");
      Workload.check(true, stats.prefetches() > 0, "reads ahead: " + stats);
    }
  }

  private static PreadConfig.Builder config(String backend, BlockCache cache) {
    return PreadConfig.builder().backend(backend).cache(cache);
  }

  private static void read(Directory directory, int threads) throws Exception {
    long seed = Fixtures.SEED;
    try (IndexOutput output = directory.createOutput("data", IOContext.DEFAULT)) {
      for (long at = 0; at < FILE_BYTES; at += Long.BYTES) {
        output.writeLong(SoakFiles.longAt(seed, at));
      }
    }
    try (IndexInput input = directory.openInput("data", IOContext.DEFAULT);
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch all = new CountDownLatch(threads);
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Random random = new Random(seed + i);
        readers.add(
            executor.submit(
                () -> {
                  IndexInput own = input.clone();
                  all.countDown();
                  all.await();
                  announceAndRead(own, seed, random);
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    }
    directory.deleteFile("data");
  }

  /** Announces places as a query does, whole blocks and less, and then reads them. */
  private static void announceAndRead(IndexInput input, long seed, Random random)
      throws IOException {
    int longs = PIECE / Long.BYTES;
    long[] places = new long[PLACES];
    for (int i = 0; i < PLACES; i++) {
      places[i] = (long) random.nextInt(FILE_BYTES / PIECE) * PIECE;
      input.prefetch(places[i], i % 2 == 0 ? PIECE : 1);
    }
    for (long place : places) {
      input.seek(place);
      for (int i = 0; i < longs; i++) {
        long at = place + (long) i * Long.BYTES;
        long read = input.readLong();
        if (read != SoakFiles.longAt(seed, at)) {
          throw new AssertionError("wrong bytes at " + at + ": " + Long.toHexString(read));
        }
      }
    }
  }
}
