/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.TimedBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How {@link PreadDirectory} reads when there is memory for its cache and none for the page cache
 * beside it; skipped where the file system of the build folder has no {@code O_DIRECT}, and on the
 * backend that can't ask for it.
 */
class ShortOfMemoryTest {

  private static final int BLOCK_BITS = 12;
  private static final int LENGTH = (100 << BLOCK_BITS) + 1234;

  @TempDir Path folder;

  private final FaultSystemCalls faults = Fixtures.faults();
  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final BlockCache cache = Fixtures.tinyCache(8, BLOCK_BITS);
  private final Logger logger = Logger.getLogger("dev.pread.store.MemoryAwareFile");
  private final LogMemory log = new LogMemory();

  @BeforeEach
  void write() throws IOException {
    logger.addHandler(log);
    Fixtures.assumeDirectIo(Files.write(folder.resolve("f"), data));
  }

  @AfterEach
  void nothingStaysOpen() throws Exception {
    logger.removeHandler(log);
    cache.close();
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private Directory directory() throws IOException {
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    return new PreadDirectory(folder, FSLockFactory.getDefault(), config, new Backend(faults));
  }

  private void isShort(boolean isShort) {
    cache.slots().setShortOfMemory(isShort);
  }

  /** Reads a little of a block, or all that there is of the last one. */
  private void check(IndexInput input, int block) throws IOException {
    int position = block << BLOCK_BITS;
    byte[] bytes = new byte[Math.min(2000, LENGTH - position)];
    input.seek(position);
    input.readBytes(bytes, 0, bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      assertEquals(data[position + i], bytes[i], "byte " + (position + i));
    }
  }

  private List<Enum<?>> opened() {
    return faults.calls(Function.OPEN).stream()
        .map(FaultSystemCalls.Call::argument)
        .<Enum<?>>map(mode -> mode)
        .toList();
  }

  /**
   * What is preloaded into the page cache would be there for nobody, in place of something else.
   */
  @Test
  void nothingIsPreloadedIntoAPageCacheThatNobodyAsks() throws IOException {
    try (Directory directory = directory()) {
      isShort(true);
      directory.openInput("f", LuceneCalls.PRELOAD).close();
      assertEquals(Set.of(), adviceOfPreloads());
      isShort(false);
      directory.openInput("f", LuceneCalls.PRELOAD).close();
      assertEquals(Set.of(Advice.WILLNEED), adviceOfPreloads());
    }
  }

  /** Returns what the kernel was told, but that access is at random: so it is with Lucene 9. */
  private Set<Advice> adviceOfPreloads() {
    Set<Advice> advice = new HashSet<>(faults.advice());
    advice.remove(Advice.RANDOM);
    return advice;
  }

  @Test
  void blocksAreReadPastThePageCacheOnceItIsNextToNothing() throws IOException {
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, 0);
      assertEquals(List.of(OpenMode.READ), opened());
      isShort(true);
      for (int block = 10; block <= 100; block += 10) {
        check(input, block);
      }
      assertEquals(List.of(OpenMode.READ, OpenMode.READ_DIRECT), opened());
      isShort(false);
      check(input, 55);
      isShort(true);
      check(input, 66);
      check(input.clone(), 77);
      assertEquals(2, opened().size(), "once is enough");
    }
  }

  /**
   * Returns where reads through the page cache begin; the second descriptor is opened by number.
   */
  private Set<Long> readThroughPageCache(IOConsumer<IndexInput> reads, IndexInput input)
      throws IOException {
    faults.forget();
    reads.accept(input.clone());
    return readsThroughPageCache().map(FaultSystemCalls.Call::position).collect(Collectors.toSet());
  }

  private Stream<FaultSystemCalls.Call> readsThroughPageCache() {
    return faults.calls().stream()
        .filter(call -> call.function() == Function.PREAD || call.function() == Function.PREADV)
        .filter(call -> call.path().startsWith(folder));
  }

  private void jump(IndexInput input) throws IOException {
    for (int block = 100; block >= 0; block--) {
      check(input, block);
    }
  }

  /** Jumps, each time to several blocks, which are read by one call. */
  private void readRuns(IndexInput input) throws IOException {
    for (int block = 96; block >= 0; block -= 4) {
      input.seek((long) block << BLOCK_BITS);
      input.readBytes(new byte[3 << BLOCK_BITS], 0, 3 << BLOCK_BITS);
    }
  }

  private void readInOrder(IndexInput input) throws IOException {
    input.readBytes(new byte[LENGTH], 0, 1 << BLOCK_BITS);
    for (int block = 1; block <= 100; block++) {
      check(input, block);
    }
  }

  /** What the cache may not use is room for some of them, if the others leave it to them. */
  @Test
  void someBlocksAreLeftToThePageCacheAndAlwaysTheSame() throws IOException {
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      isShort(true);
      assertEquals(Set.of(), readThroughPageCache(this::jump, input));
      cache.slots().setPageCacheShare(0.5);
      Set<Long> left = readThroughPageCache(this::jump, input);
      assertTrue(left.size() > 20 && left.size() < 80, left + " of 100");
      // The cache holds eight of them at most.
      Set<Long> again = readThroughPageCache(this::jump, input);
      assertTrue(left.containsAll(again) && again.size() > left.size() - 9, left + ", " + again);
      // What comes next is read ahead, of which the page cache knows nothing.
      Set<Long> inOrder = readThroughPageCache(this::readInOrder, input);
      assertTrue(inOrder.size() <= 1, inOrder + ": no jump but the first");
      assertEquals(Set.of(), readThroughPageCache(this::readRuns, input));
    }
  }

  /** A small cache would only keep others from what the page cache has room for. */
  @Test
  void whereThePageCacheMayHaveMoreAllIsReadThroughIt() throws IOException {
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      isShort(true);
      cache.slots().setPageCacheShare(1);
      jump(input);
      readInOrder(input);
      readRuns(input);
      assertEquals(List.of(OpenMode.READ), opened());
      cache.slots().setPageCacheShare(0.5);
      jump(input);
      assertEquals(List.of(OpenMode.READ, OpenMode.READ_DIRECT), opened());
    }
  }

  @Test
  void aWholeBlockThatIsLeftToThePageCacheTakesNoPlaceInTheCache() throws IOException {
    byte[] block = new byte[1 << BLOCK_BITS];
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      isShort(true);
      jump(input);
      cache.slots().setPageCacheShare(0.5);
      int bypassed = 0;
      for (int number = 99; number >= 0; number--) {
        long before = cache.stats().bypasses();
        faults.forget();
        input.seek((long) number << BLOCK_BITS);
        input.readBytes(block, 0, block.length);
        assertArrayEquals(
            Arrays.copyOfRange(data, number << BLOCK_BITS, (number + 1) << BLOCK_BITS), block);
        boolean isLeft = readsThroughPageCache().findAny().isPresent();
        assertEquals(isLeft, cache.stats().bypasses() > before, "block " + number);
        bypassed += isLeft ? 1 : 0;
      }
      assertTrue(bypassed > 20 && bypassed < 80, bypassed + " of 100");
    }
  }

  /** Vectors that are a little larger than the cache find the rest of their place there. */
  @Test
  void whatAMergeJumpsAroundInIsReadThroughThePageCache() throws IOException {
    Files.write(folder.resolve("f.vec"), data);
    try (Directory directory = directory();
        IndexInput merged = directory.openInput("f.vec", Fixtures.MERGE);
        IndexInput searched = directory.openInput("f.vec", IOContext.DEFAULT)) {
      isShort(true);
      for (int block = 10; block <= 100; block += 10) {
        check(merged, block);
      }
      assertFalse(opened().contains(OpenMode.READ_DIRECT));
      check(searched, 55);
      assertTrue(opened().contains(OpenMode.READ_DIRECT));
    }
  }

  @Test
  void aFileThatIsDeletedMeanwhileIsStillTheSame() throws IOException {
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      Files.delete(folder.resolve("f"));
      Files.write(folder.resolve("f"), new byte[LENGTH]);
      isShort(true);
      check(input, 40);
      assertTrue(opened().contains(OpenMode.READ_DIRECT));
    }
  }

  @Test
  void nobodyWaitsWhileAnotherThreadOpensTheFileAgain() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch isRead = new CountDownLatch(1);
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      IndexInput other = input.clone();
      isShort(true);
      faults
          .on(Function.OPEN)
          .at(2)
          .first(
              () -> {
                opening.countDown();
                Fixtures.awaitQuietly(isRead);
              });
      Fixtures.inThreads(
          2,
          thread -> {
            if (thread == 0) {
              check(input, 10);
            } else {
              Fixtures.await(opening);
              check(other, 50);
              isRead.countDown();
            }
          });
      check(input, 90);
      assertEquals(List.of(OpenMode.READ, OpenMode.READ_DIRECT), opened());
    }
  }

  @Test
  void whereDirectReadsAreRefusedThePageCacheWillDo() throws IOException {
    faults.refuseDirect();
    readsThroughThePageCache();
  }

  /** Then a few bytes are not worth a block, and what is announced is the kernel's to read. */
  @Test
  void whereDirectReadsAreRefusedReadsAreAsWhileThereIsMemory() throws IOException {
    faults.refuseDirect();
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", Fixtures.RANDOM)) {
      isShort(true);
      jump(input);
      long before = cache.stats().bypasses();
      jump(input);
      assertTrue(cache.stats().bypasses() > before + 50, cache.stats().toString());
      long byUs = cache.stats().prefetchesIssued();
      for (int block = 100; block >= 0; block--) {
        LuceneCalls.prefetch(input, (long) block << BLOCK_BITS, 100);
      }
      Fixtures.awaitIdleThreads(cache);
      assertEquals(byUs, cache.stats().prefetchesIssued());
    }
  }

  @Test
  void whereDirectReadsFailThePageCacheWillDo() throws IOException {
    faults.on(Function.PREAD).always().fail(Errno.EINVAL);
    readsThroughThePageCache();
  }

  @Test
  void whereThereIsNoMemoryToTryThemThePageCacheWillDo() throws IOException {
    faults
        .on(Function.PREAD)
        .always()
        .first(
            () -> {
              throw new OutOfMemoryError("by script");
            });
    readsThroughThePageCache();
  }

  @Test
  void whereTheDeviceWantsLargerBlocksThePageCacheWillDo() throws IOException {
    faults.simulateDirect(2 << BLOCK_BITS);
    readsThroughThePageCache();
  }

  /** Otherwise a merge would have the cache shrink by what it has written. */
  @Test
  void whatIsWrittenLeavesThePageCache() throws IOException {
    byte[] written = Fixtures.randomBytes(7, 5 << 20);
    try (Directory directory = directory()) {
      for (boolean isShort : new boolean[] {false, true}) {
        faults.forget();
        isShort(isShort);
        try (IndexOutput output = directory.createOutput("g" + isShort, Fixtures.MERGE)) {
          output.writeBytes(written, written.length);
        }
        assertEquals(
            isShort ? List.of(Advice.DONTNEED, Advice.DONTNEED) : List.of(), faults.advice());
        assertArrayEquals(written, Files.readAllBytes(folder.resolve("g" + isShort)));
      }
    }
  }

  /** Nobody else would learn of it. */
  @Test
  void whatKeepsFilesFromBeingOpenedAgainIsSaidOnceForEachKind() throws IOException {
    List<String> names = List.of("f", "g", "h");
    for (String name : names) {
      Files.write(folder.resolve(name), data);
    }
    for (int errno : new int[] {Errno.EACCES, Errno.ENOMEM}) {
      Backend fresh = new Backend(faults);
      faults.calm();
      faults.forget();
      faults.on(Function.OPEN).from(names.size() + 1).fail(errno);
      log.records.clear();
      readAll(names, fresh);
      assertEquals(names.size(), directOpens());
      assertEquals(1, log.records.size());
      assertEquals(Level.WARNING, log.records.get(0).getLevel());
      Fixtures.assertNames(
          log.records.get(0).getMessage(), Errno.describe(errno), folder.resolve("f"));
    }
  }

  @Test
  void aProcessWithoutDescriptorsIsNotAskedForMoreForAWhile() throws IOException {
    List<String> names = List.of("f", "g", "h");
    for (String name : names) {
      Files.write(folder.resolve(name), data);
    }
    faults.on(Function.OPEN).at(names.size() + 1).fail(Errno.EMFILE);
    readAll(names, new Backend(faults));
    assertEquals(1, directOpens());
    assertEquals(1, log.records.size());
    Fixtures.assertNames(log.records.get(0).getMessage(), "EMFILE", "ulimit");
  }

  @Test
  void theFileForWhichThereWasNoDescriptorGetsOneLater() throws IOException {
    AtomicLong now = new AtomicLong();
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    Backend timed = TimedBackend.of(faults, now::get);
    faults.on(Function.OPEN).at(2).fail(Errno.EMFILE);
    isShort(false);
    try (Directory directory =
            new PreadDirectory(folder, FSLockFactory.getDefault(), config, timed);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      isShort(true);
      check(input, 20);
      check(input, 50);
      assertEquals(1, directOpens());
      now.addAndGet(TimeUnit.MINUTES.toNanos(1));
      check(input, 70);
      assertEquals(2, directOpens());
      check(input, 90);
      assertEquals(2, directOpens(), "it has one");
    }
  }

  /** A commit has to open files, and a server to accept connections. */
  @Test
  void halfOfTheDescriptorsAreLeftToThoseWhoNeedOne() throws IOException {
    List<String> names = List.of("f", "g", "h");
    for (String name : names) {
      Files.write(folder.resolve(name), data);
    }
    Backend poor = TimedBackend.of(faults, System::nanoTime, 2L * (names.size() + 1));
    readAll(names, poor);
    assertEquals(1, directOpens());
    assertEquals(1, log.records.size());
    Fixtures.assertNames(log.records.get(0).getMessage(), "ulimit -n", folder.resolve("g"));
    faults.forget();
    readAll(List.of("f", "g"), poor);
    assertEquals(2, directOpens(), "there are fewer files now");
  }

  private void theSecondOpenIsADefect() {
    faults
        .on(Function.OPEN)
        .at(2)
        .first(
            () -> {
              throw new IllegalStateException("by script");
            });
  }

  @Test
  void aDefectThatKeepsAFileFromBeingOpenedAgainIsTold() throws IOException {
    theSecondOpenIsADefect();
    readAll(List.of("f"), new Backend(faults));
    assertEquals(2, faults.count(Function.OPEN), "tried once");
    assertEquals(1, log.records.size());
    assertEquals(Level.WARNING, log.records.get(0).getLevel());
    assertInstanceOf(IllegalStateException.class, log.records.get(0).getThrown());
  }

  @Test
  void aLogThatFailsFailsNoRead() throws IOException {
    try (FailingLog failing = new FailingLog(logger.getName())) {
      faults.on(Function.OPEN).at(2).fail(Errno.EMFILE);
      readAll(List.of("f"), new Backend(faults));
      assertEquals(1, failing.told());
      faults.calm();
      faults.forget();
      theSecondOpenIsADefect();
      readAll(List.of("f"), new Backend(faults));
      assertEquals(2, failing.told());
    }
  }

  /** Opens files, and then reads each of them with no memory left. */
  private void readAll(List<String> names, Backend with) throws IOException {
    isShort(false);
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    List<IndexInput> inputs = new ArrayList<>();
    try (Directory directory =
        new PreadDirectory(folder, FSLockFactory.getDefault(), config, with)) {
      for (String name : names) {
        inputs.add(directory.openInput(name, IOContext.DEFAULT));
      }
      isShort(true);
      for (IndexInput input : inputs) {
        check(input, 20);
        check(input, 50);
      }
    } finally {
      for (IndexInput input : inputs) {
        input.close();
      }
    }
  }

  private long directOpens() {
    return opened().stream().filter(OpenMode.READ_DIRECT::equals).count();
  }

  private void readsThroughThePageCache() throws IOException {
    try (Directory directory = directory();
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      isShort(true);
      check(input, 20);
      check(input, 50);
      check(input, 100);
      assertEquals(1, directOpens(), "tried once");
    }
    assertEquals(List.of(), log.records, "there is nothing to mend");
  }
}
