/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.Test;

/** What the kernel is told of a file, from its opening to its close, with its answers by script. */
class AdviceTest extends AdviceTestCase {

  @Test
  void theContextReachesTheKernelWhenTheFileIsOpened() throws Exception {
    assertEquals(List.of(), adviceFor("small", IOContext.DEFAULT), "the kernel's own default");
    assertEquals(List.of(Advice.RANDOM), adviceFor("small", Fixtures.RANDOM));
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("small", Fixtures.MERGE));
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("small", IOContext.READONCE));
    Call call = faults.calls(Function.FADVISE).get(0);
    assertEquals(0, call.position());
    assertEquals(0, call.length(), "to the end");
    PreadConfig random = PreadConfig.builder().randomByDefault(true).build();
    assertEquals(List.of(Advice.RANDOM), adviceFor("small", IOContext.DEFAULT, random));
  }

  @Test
  void preloadAsksForTheWholeFile() throws Exception {
    assertEquals(Advice.RANDOM, adviceFor("small", LuceneCalls.PRELOAD_AT_RANDOM).get(0));
    List<Call> calls = faults.calls(Function.FADVISE);
    long end = 0;
    for (Call call : calls.subList(1, calls.size())) {
      assertEquals(Advice.WILLNEED, call.argument());
      assertEquals(end, call.position());
      assertTrue(call.length() <= InputFile.PRELOAD_BYTES);
      end += call.length();
    }
    assertEquals(LARGE - 1, end);
    assertEquals(List.of(Advice.RANDOM), adviceFor("empty", LuceneCalls.PRELOAD_AT_RANDOM));
  }

  @Test
  void adviceThatIsRefusedIsNotGivenForTheRest() throws Exception {
    faults.calm();
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    faults.on(Function.FADVISE).always().fail(Errno.ENOSYS);
    assertEquals(
        List.of(Advice.RANDOM, Advice.WILLNEED), adviceFor("large", LuceneCalls.PRELOAD_AT_RANDOM));
  }

  /** The kernel reads only the beginning of a range that is long. */
  @Test
  void aFileThatIsPreloadedBecomesResidentToItsEnd() throws Exception {
    Path path = folder.resolve("long");
    int length = 24 << 20;
    Backend real = Fixtures.backend();
    try (PosixFile file = real.open(path, OpenMode.CREATE)) {
      NativeBuffer bytes = real.calls().allocate(length, 1);
      file.writeFully(0, bytes, 0, length);
      file.syncData();
    }
    try (PosixFile file = real.open(path, OpenMode.READ);
        FileChannel channel = FileChannel.open(path);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, real)) {
      // To ask for residency by a read would have the kernel read ahead.
      MappedByteBuffer pages = channel.map(MapMode.READ_ONLY, 0, length);
      assumeTrue(file.advise(0, 0, Advice.DONTNEED));
      assumeFalse(pages.isLoaded());
      try (IndexInput input = directory.openInput("long", LuceneCalls.PRELOAD_AT_RANDOM)) {
        assertEquals(length, input.length());
        Fixtures.await("the last page", pages::isLoaded);
      }
    }
  }

  @Test
  void aColdFileThatIsReadOnceLeavesThePageCacheAtClose() throws Exception {
    List<Advice> dropped = List.of(Advice.SEQUENTIAL, Advice.DONTNEED);
    assertEquals(dropped, adviceFor("large", IOContext.READONCE));
    List<Call> calls = faults.calls();
    assertEquals(Function.CLOSE, calls.get(calls.size() - 1).function());
    Call drop = calls.get(calls.size() - 2);
    assertEquals(Advice.DONTNEED, drop.argument(), "just before the close");
    assertEquals(0, drop.position());
    assertEquals(0, drop.length(), "to the end");
  }

  @Test
  void smallFilesAndOtherContextsStayInThePageCache() throws Exception {
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("small", IOContext.READONCE));
    assertEquals(0, faults.count(Function.PREAD_NO_WAIT), "nor is there a look at it");
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("empty", IOContext.READONCE));
    for (IOContext context :
        List.of(IOContext.DEFAULT, Fixtures.MERGE, Fixtures.RANDOM, Fixtures.SEQUENTIAL)) {
      List<Advice> advice = adviceFor("large", context);
      assertTrue(!advice.contains(Advice.DONTNEED), context + ": " + advice);
      assertEquals(0, faults.count(Function.PREAD_NO_WAIT));
    }
    PreadConfig off = PreadConfig.builder().dropBehind(false).build();
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("large", IOContext.READONCE, off));
  }

  @Test
  void aFileOfWhichAnythingWasResidentStays() throws Exception {
    for (int k = 1; k <= 4; k++) {
      faults.calm();
      faults.on(Function.PREAD_NO_WAIT).at(k).answer(1);
      faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
      assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("large", IOContext.READONCE), "" + k);
    }
    faults.calm();
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.ENOSYS);
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("large", IOContext.READONCE), "unknown");
  }

  @Test
  void residencyIsJudgedBeforeAnythingIsReadAhead() throws Exception {
    adviceFor("large", IOContext.READONCE);
    List<Function> order = faults.calls().stream().map(Call::function).distinct().toList();
    assertTrue(
        order.indexOf(Function.PREAD_NO_WAIT) < order.indexOf(Function.FADVISE), order.toString());
  }

  @Test
  void adviceThatIsRefusedIsNotAnError() throws Exception {
    faults.calm();
    faults.on(Function.FADVISE).always().fail(Errno.EINVAL);
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    assertEquals(
        List.of(Advice.SEQUENTIAL, Advice.DONTNEED), adviceFor("large", IOContext.READONCE));
    assertEquals(
        List.of(Advice.RANDOM, Advice.WILLNEED), adviceFor("large", LuceneCalls.PRELOAD_AT_RANDOM));
  }

  @Test
  void updateIoContextReachesTheKernelBothWays() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend);
        PreadIndexInput input = open(directory, "large", Fixtures.RANDOM)) {
      input.updateIOContext(Fixtures.MERGE);
      input.updateIOContext(IOContext.DEFAULT);
      input.clone().updateIOContext(Fixtures.RANDOM);
      assertEquals(
          List.of(Advice.RANDOM, Advice.SEQUENTIAL, Advice.NORMAL, Advice.RANDOM), faults.advice());
      assertTrue(
          faults.calls(Function.FADVISE).stream()
              .allMatch(c -> c.position() == 0 && c.length() == 0));
    }
  }

  @Test
  void updateIoContextOfASliceLeavesTheRestOfTheFileAlone() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend);
        PreadIndexInput input = open(directory, "large", IOContext.DEFAULT)) {
      PreadIndexInput slice = input.slice("s", 1000, 100_000, IOContext.DEFAULT);
      slice.updateIOContext(Fixtures.RANDOM);
      slice.clone().updateIOContext(Fixtures.MERGE);
      assertEquals(List.of(), faults.advice());
    }
  }

  @Test
  void updateIoContextChangesTheSizeOfReads() throws Exception {
    PreadConfig config =
        Fixtures.sequentialBuffer(PreadConfig.builder().bufferSize(512), 8192).build();
    try (PreadDirectory directory = Fixtures.directory(folder, config, backend);
        PreadIndexInput input = open(directory, "large", IOContext.DEFAULT)) {
      int[] expected = {512, 8192, 512};
      IOContext[] contexts = {IOContext.DEFAULT, Fixtures.MERGE, Fixtures.RANDOM};
      for (int i = 0; i < expected.length; i++) {
        input.updateIOContext(contexts[i]);
        input.seek(100_000L * (i + 1));
        input.readByte();
        input.readByte(50_000L * (i + 1) + 1);
        List<Call> reads = faults.calls(Function.PREAD);
        for (Call read : reads.subList(2 * i, 2 * i + 2)) {
          assertEquals(expected[i], read.length());
          assertEquals(0, read.position() % expected[i], "aligned in the file");
        }
        assertEquals(2 * (i + 1), reads.size());
      }
    }
  }

  @Test
  void aSliceWithAContextDoesNotChangeWhatTheWholeFileWasToldButHasItsOwnBuffer() throws Exception {
    PreadConfig config =
        Fixtures.sequentialBuffer(PreadConfig.builder().bufferSize(512), 8192).build();
    ReadPlan.Defaults defaults = new ReadPlan.Defaults(512, 8192, false, false);
    try (PreadDirectory directory = Fixtures.directory(folder, config, backend);
        PreadIndexInput input = open(directory, "large", IOContext.DEFAULT)) {
      for (IOContext context : Fixtures.CONTEXTS) {
        PreadIndexInput slice = input.slice("s", 1000, 100_000, context);
        assertEquals(List.of(), faults.advice());
        slice.seek(50_000);
        slice.readByte();
        List<Call> reads = faults.calls(Function.PREAD);
        int expected = ReadPlan.of(defaults, "large", slice.length(), context).bufferSize();
        assertEquals(expected, reads.get(reads.size() - 1).length());
      }
      input.slice("s", 5000, 777, LuceneCalls.PRELOAD_AT_RANDOM);
      assertEquals(List.of(Advice.WILLNEED), faults.advice());
      Call call = faults.calls(Function.FADVISE).get(0);
      assertEquals(5000, call.position());
      assertEquals(777, call.length());
      input.slice("s", 5000, 0, LuceneCalls.PRELOAD_AT_RANDOM);
      assertEquals(1, faults.count(Function.FADVISE), "an empty slice has nothing to load");
    }
  }

  @Test
  void whatIsReadInWholeBlocksIsPrefetchedInWholeBlocks() throws Exception {
    try (BlockCache cache = new BlockCache(16 * 8192, 8192);
        PreadDirectory directory =
            Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      PreadIndexInput input = open(directory, "large", IOContext.DEFAULT);
      assertEquals(List.of(8192L, 8192L), prefetched(input, 10_000, 1));
      assertEquals(List.of(8192L, 3 * 8192L), prefetched(input, 16_000, 10_000));
      assertEquals(List.of(LARGE - 8192L, 8192L), prefetched(input, LARGE - 1, 1));
      IndexInput slice = input.slice("s", 9000, 50_000);
      assertEquals(List.of(8192L, 8192L), prefetched(slice, 1000, 1));
      input.close();
      // What is read at random leaves a full cache alone: its bytes are read, and nothing else.
      PreadIndexInput random = open(directory, "large", Fixtures.RANDOM);
      assertEquals(List.of(10_000L, 1L), prefetched(random, 10_000, 1));
      random.close();
    }
  }

  @Test
  void whatIsInTheCacheIsNotPrefetched() throws Exception {
    try (BlockCache cache = new BlockCache(16 * 8192, 8192);
        PreadDirectory directory =
            Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      PreadIndexInput input = open(directory, "large", IOContext.DEFAULT);
      for (int block = 30; block < 60; block++) {
        input.readByte(block * 8192L);
      }
      for (int block = 10; block < 13; block++) {
        input.readByte(block * 8192L);
      }
      faults.forget();
      input.prefetch(10 * 8192 + 100, 1);
      input.prefetch(10 * 8192, 3 * 8192);
      input.prefetch(11 * 8192 - 1, 8194);
      assertEquals(List.of(), faults.calls());
      // One block that is missing is enough.
      assertEquals(List.of(10 * 8192L, 4 * 8192L), prefetched(input, 10 * 8192, 3 * 8192 + 1));
      assertEquals(List.of(9 * 8192L, 4 * 8192L), prefetched(input, 10 * 8192 - 1, 2 * 8192 + 2));
      // So is one that is in the window, but not in the cache any more.
      input.seek(20 * 8192);
      input.readByte();
      for (int block = 30; block < 60; block++) {
        input.readByte(block * 8192L);
      }
      assertEquals(List.of(20 * 8192L, 8192L), prefetched(input, 20 * 8192, 1));
      input.close();
    }
  }

  /** Position and length of the one range that the kernel is told of. */
  private List<Long> prefetched(IndexInput input, long position, long count) throws Exception {
    faults.forget();
    LuceneCalls.prefetch(input, position, count);
    assertEquals(1, faults.count(Function.FADVISE));
    Call call = faults.calls(Function.FADVISE).get(0);
    return List.of(call.position(), call.length());
  }
}
