/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.store.CacheTrace;
import dev.pread.store.PreadIndexInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;

/**
 * Many threads read files through a cache that is much too small, while the files and the cache are
 * opened and closed under them, and the cache becomes smaller and larger; every byte is compared. A
 * wrong byte is told with the seed and the history of its block's slot, from a flight recording.
 *
 * @param backend its name
 * @param slots of the cache, of 4 KiB each, or of 16 KiB with every other seed: then what is
 *     announced in small pieces is read by pages
 */
record Soak(Path folder, long seed, String backend, boolean direct, int slots, int threads) {

  private static final int SMALL_BITS = 12;
  private static final int LARGE_BITS = 14;

  /**
   * The number of reads, which are so few that they take seconds also where other processes want
   * the processors.
   */
  private static final long READS_PER_CACHE = 2_500_000;

  /** How many parts the cache has that can be given back one by one. */
  private static final int PAGES = 16;

  private static final int MAX_MILLIS_OF_A_SIZE = 20;

  /** One of so many turns does something else than to read. */
  private static final int TURNS_PER_CHANGE = 4000;

  /**
   * Reads so often, or until something is wrong.
   *
   * @param givenBack counts bytes of memory that caches have given back
   * @return how many reads were checked
   */
  long run(long reads, AtomicLong givenBack) throws Exception {
    AtomicLong done = new AtomicLong();
    // This is not the default: its files' blocks would be shared with other tests of this process.
    Backend own = new Backend(BackendRegistry.get(backend).calls());
    try (Recording history = history()) {
      // There is one cache after the other, since each is closed under its readers.
      while (done.get() < reads) {
        try (BlockCache cache = Fixtures.shrinkableCache(slots, blockBits(), slots / PAGES);
            Directory directory = directory(cache, own)) {
          boolean closed = runUntilChanged(directory, cache, history, done, reads, givenBack);
          awaitCollection(cache);
          if (!closed) {
            Fixtures.checkAllSlotsCanBeHad(cache);
          }
        }
      }
    }
    if (own.openFiles() != 0) {
      throw new AssertionError(this + ": " + own.openFiles() + " files are left open");
    }
    return done.get();
  }

  private int blockBits() {
    return seed % 2 == 0 ? SMALL_BITS : LARGE_BITS;
  }

  /** What has been handed out comes back when the collector has found that nobody reads it. */
  private static void awaitCollection(BlockCache cache) throws InterruptedException {
    for (int i = 0; cache.stats().pinnedBytes() > 0; i++) {
      if (i > 1000) {
        throw new AssertionError("handed out for ever: " + cache.stats());
      }
      System.gc();
      Thread.sleep(10);
    }
  }

  private Directory directory(BlockCache cache, Backend own) throws IOException {
    PreadConfig config = PreadConfig.builder().directWriteMinSize(0).build();
    return direct
        ? Fixtures.direct(folder, config, cache, own)
        : Fixtures.directory(folder, config, cache, own);
  }

  private boolean runUntilChanged(
      Directory directory,
      BlockCache cache,
      Recording history,
      AtomicLong done,
      long reads,
      AtomicLong givenBack)
      throws Exception {
    long begin = done.get();
    long limit = Math.min(reads, begin + Math.min(READS_PER_CACHE, reads / 8 + 1));
    boolean closeCache = new Random(seed + done.get()).nextInt(4) == 0;
    AtomicBoolean failed = new AtomicBoolean();
    try (SoakFiles files = new SoakFiles(directory, seed + done.get())) {
      Fixtures.inThreads(
          threads + 1,
          thread -> {
            Random random = new Random(seed * 31 + thread + done.get());
            if (thread == threads) {
              while (done.get() < limit && !failed.get()) {
                givenBack.addAndGet(shrinkAndGrow(cache, random));
              }
              return;
            }
            SoakReader reader = new SoakReader(random);
            try {
              while (done.get() < limit && !failed.get()) {
                turn(files, reader, random, done);
                if (closeCache && thread == 0 && done.get() > begin + (limit - begin) / 2) {
                  cache.close();
                }
              }
            } catch (SoakReader.WrongByteException e) {
              failed.set(true);
              throw new AssertionError(this + ": " + e.getMessage() + told(reader, history), e);
            } finally {
              failed.compareAndSet(false, Thread.currentThread().isInterrupted());
            }
          });
    }
    return closeCache;
  }

  /**
   * Leaves the cache with a quarter to the whole of the memory that it has, for a moment, and then
   * lets it grow again for another.
   */
  private static long shrinkAndGrow(BlockCache cache, Random random) throws InterruptedException {
    long whole = cache.stats().memoryBytes();
    long bytes = whole / 4 + random.nextLong(whole - whole / 4 + 1);
    long returned = Fixtures.resize(cache, bytes, random.nextInt(4) == 0);
    Thread.sleep(random.nextInt(MAX_MILLIS_OF_A_SIZE));
    long ignored = Fixtures.resize(cache, Long.MAX_VALUE, false);
    Thread.sleep(random.nextInt(MAX_MILLIS_OF_A_SIZE));
    return returned;
  }

  private static void turn(SoakFiles files, SoakReader reader, Random random, AtomicLong done)
      throws IOException {
    int turn = random.nextInt(TURNS_PER_CHANGE);
    if (turn == 0) {
      files.rewrite(random);
    } else if (turn < 8) {
      files.reopen(random);
    } else {
      try {
        done.addAndGet(reader.read(files.any(random)));
      } catch (AlreadyClosedException e) {
        // Another thread closed it a moment ago.
        assert e.getMessage() != null : e;
      }
    }
  }

  // ---- what a wrong byte is told with ----

  private static Recording history() {
    Recording recording = new Recording();
    recording.enable("dev.pread.BlockEntry");
    recording.enable("dev.pread.BlockEviction");
    recording.setMaxSize(64 << 20);
    recording.start();
    return recording;
  }

  private String told(SoakReader reader, Recording history) throws IOException {
    PreadIndexInput input = (PreadIndexInput) reader.file().input();
    String slot = CacheTrace.slot(input, reader.position());
    Path file = Files.createTempFile("soak", ".jfr");
    history.dump(file);
    long block = reader.position() >> blockBits() << blockBits();
    StringBuilder told = new StringBuilder("\nin " + slot + "; all events are in " + file);
    int number = CacheTrace.slotNumber(input, reader.position());
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      boolean ofSlot = event.getInt("slot") == number;
      boolean ofBlock =
          event.getString("file").endsWith(reader.file().name())
              && event.getLong("position") == block;
      if (ofSlot || ofBlock) {
        told.append("\n  ").append(event.getStartTime()).append(' ');
        told.append(event.getEventType().getLabel()).append(" slot=").append(event.getInt("slot"));
        told.append(' ').append(event.getString("file")).append('@');
        told.append(event.getLong("position"));
      }
    }
    return told.toString();
  }
}
