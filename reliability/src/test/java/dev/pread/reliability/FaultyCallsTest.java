/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A writer, its merges and its searches meet a full disk, a quota, a table of descriptors that is
 * full, or a dying disk at any of the calls they make: the index is intact at its last commit, the
 * error is clear, and nothing hangs or is lost.
 */
class FaultyCallsTest {

  private static final int OPERATIONS = 24;

  /**
   * A wait that is far shorter than what {@link Watch} takes for a hang: two files may be held for
   * ever, as told below.
   */
  private static final int MAX_WAIT_SECONDS = 10;

  @TempDir Path temp;

  /** How long a fault lasts. */
  private enum Lasting {
    /** Only that call fails. */
    ONCE,
    /** That function fails from then on. */
    FUNCTION,
    /** All that follow fail: the disk is gone. */
    ALL
  }

  private record Fault(Function function, long call, int errno, Lasting lasting, long seed) {

    void inject(FaultSystemCalls faults) {
      switch (lasting) {
        case ONCE -> faults.on(function).at(call).fail(errno);
        case FUNCTION -> faults.on(function).from(call).fail(errno);
        case ALL -> faults.on(function).at(call).first(() -> failAll(faults));
      }
    }

    private void failAll(FaultSystemCalls faults) {
      faults.calm();
      for (Function all : Function.values()) {
        faults.on(all).always().fail(errno);
      }
    }
  }

  /**
   * Returns what a call may fail with when the process or the system has too little of something.
   */
  private static int[] errors(Function function) {
    return switch (function) {
      case OPEN -> new int[] {Errno.EMFILE, Errno.ENFILE, Errno.ENOSPC, Errno.EDQUOT, Errno.EIO};
      case PWRITE, FTRUNCATE, FSYNC, FDATASYNC, CLOSE ->
          new int[] {Errno.ENOSPC, Errno.EDQUOT, Errno.EIO};
      default -> new int[] {Errno.EIO};
    };
  }

  @ParameterizedTest
  @CsvSource({
    "ffm, false",
    "ffm, true",
    "jni, false",
    "jni, true",
    "channel, false",
    "channel, true"
  })
  void theIndexOutlivesAnyFault(String name, boolean direct) throws Exception {
    List<Fault> all = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(Fixtures.SEED);
    // Merges are made by the thread that writes, and by others.
    for (long seed : new long[] {2 * Fixtures.SEED, 2 * Fixtures.SEED + 1}) {
      Run calm = new Run(name, direct, null, seed);
      calm.run();
      for (Function function : Function.values()) {
        int[] errors = errors(function);
        for (long call = 1; call <= calm.calls.get(function); call++) {
          Lasting lasting = Lasting.values()[random.nextInt(3)];
          int errno = lasting == Lasting.ALL ? Errno.EIO : errors[random.nextInt(errors.length)];
          all.add(new Fault(function, call, errno, lasting, seed));
        }
      }
    }
    Collections.shuffle(all, new Random(Fixtures.SEED));
    List<Fault> chosen = all.subList(0, (int) Campaign.size(8, 15, 250));
    int told = 0;
    int met = 0;
    for (Fault fault : chosen) {
      Run run = new Run(name, direct, fault, fault.seed);
      told += run.run() == null ? 0 : 1;
      met += run.met() ? 1 : 0;
    }
    System.out.printf(
        Locale.ROOT,
        "FaultyCallsTest: %s, direct=%s, seed %d: %d of %d faults tried, %d met, %d told%n",
        name,
        direct,
        Fixtures.SEED,
        chosen.size(),
        all.size(),
        met,
        told);
    assertTrue(met > chosen.size() * 3 / 4, met + " of " + chosen.size() + " faults met");
    assertTrue(told > met / 3, told + " of " + met + " faults told");
  }

  /** One index, from its creation to its end. */
  private final class Run {

    private final boolean direct;
    private final Fault fault;
    private final NumberedIndex index;
    private final FaultSystemCalls faults;
    private final Backend backend;
    private final Path folder;
    private final AtomicLong acknowledged = new AtomicLong();
    private final Map<Function, Long> calls = new EnumMap<>(Function.class);
    private final String text;

    /**
     * @param fault null for none
     */
    Run(String name, boolean direct, Fault fault, long seed) throws IOException {
      this.direct = direct;
      this.fault = fault;
      this.index = new NumberedIndex(seed);
      this.faults = new FaultSystemCalls(BackendRegistry.get(name).calls()).withoutRecord();
      this.backend = new Backend(faults);
      this.folder = Files.createTempDirectory(temp, "faulty");
      this.text = name + ", direct=" + direct + ", " + fault;
      if (name.equals("channel")) {
        faults.simulateDirect(1 << 12);
      } else if (name.equals("jni")) {
        faults.simulateArrays();
      }
    }

    boolean met() {
      return calls.get(fault.function) >= fault.call;
    }

    /** Returns what the writer has thrown. */
    Exception run() throws Exception {
      try {
        return Watch.over(text, this::meetTheFault);
      } catch (Throwable t) {
        throw new AssertionError(text, t);
      }
    }

    private Exception meetTheFault() throws Exception {
      Exception thrown = null;
      try (BlockCache cache = Fixtures.tinyCache(64, 12)) {
        if (fault != null) {
          fault.inject(faults);
        }
        syncAtNoCost();
        try (Directory directory = open(cache)) {
          index.work(directory, OPERATIONS, acknowledged::set);
        } catch (IOException | RuntimeException e) {
          thrown = e;
        }
        faults.calm();
        for (Function function : Function.values()) {
          calls.put(function, faults.count(function));
        }
        if (thrown == null) {
          assertEquals(OPERATIONS, acknowledged.get());
        } else if (!NumberedIndex.isTold(thrown, folder, Errno.describe(fault.errno))) {
          throw thrown;
        }
        checkNothingIsHeld(cache);
        long last = index.check(folder, acknowledged.get());

        syncAtNoCost();
        try (Directory directory = open(cache)) {
          index.work(directory, OPERATIONS / 2, acknowledged::set);
          NumberedIndex.checkNothingIsLeftOver(directory);
        }
        checkNothingIsHeld(cache);
        assertEquals(last + OPERATIONS / 2, index.check(folder, acknowledged.get()));
      }
      IOUtils.rm(folder);
      return thrown;
    }

    /** Nothing here is about the power, and there are thousands of them. */
    private void syncAtNoCost() {
      faults.on(Function.FDATASYNC).always().answer(0);
      faults.on(Function.FSYNC).always().answer(0);
    }

    private Directory open(BlockCache cache) throws IOException {
      PreadConfig config =
          Fixtures.writeBuffer(PreadConfig.builder().directWriteMinSize(0), 1 << 12).build();
      return direct
          ? Fixtures.direct(folder, config, cache, backend)
          : Fixtures.directory(folder, config, cache, backend);
    }

    /**
     * Checks that nothing is held but what Lucene itself forgets: its reader of vectors leaves two
     * files open when the file that describes them can't be closed (Lucene99HnswVectorsReader
     * 10.5.1 has no further thought for them by then).
     */
    private void checkNothingIsHeld(BlockCache cache) throws Exception {
      // A prefetch that is under way keeps its file open, a view of an extent its blocks.
      boolean held = true;
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
      for (int waits = 0; held && System.nanoTime() < end; waits++) {
        held = backend.openFiles() != 0 || cache.stats().blocks() != 0;
        if (held) {
          System.gc();
          Thread.sleep(waits);
        }
      }
      if (held && fault != null && fault.function == Function.CLOSE) {
        assertEquals(2, backend.openFiles(), "one reader's .vec and .vex");
        return;
      }
      assertEquals(0, backend.openFiles());
      assertEquals(0, Fixtures.descriptorsIn(folder));
      Fixtures.checkAllSlotsCanBeHad(cache);
    }
  }
}
