/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The way of a miss from Lucene's call to the system call is short, and leads downwards: no layer
 * is entered again from below. A value that lies in two blocks is put together by Lucene's {@code
 * DataInput}, each of whose smaller reads is a call of Lucene's.
 */
class MissPathTest {

  /**
   * The most calls from the method that Lucene calls to the one that is the system call, which is
   * the last of them. What a backend makes of that is not counted: one native method with {@code
   * jni}, a method handle with {@code ffm}.
   */
  private static final int MAX_CALLS = 8;

  /** The most of them to the one that tries whether a file can be read with direct I/O. */
  private static final int MAX_CALLS_TO_OPEN = 12;

  private static final int BLOCK_BITS = 13;
  private static final int ALIGNMENT = 4 << 10;
  private static final int CACHE_BLOCKS = 100;
  private static final int FILE_SIZE = 1 << 20;
  private static final List<String> READ_CALLS = List.of("pread", "preadv");

  /** The layers from the top to the bottom. */
  private static final List<String> LAYERS =
      List.of("dev.pread.store", "dev.pread.cache", "dev.pread.posix");

  /** Those by which the ways of states differ. */
  private static final Set<String> TELLING_CALLS =
      Set.of(
          "CachedPreadInput.fill",
          "CachedPreadInput.fillPrivately",
          "CachedPreadInput.readPast",
          "BufferedPreadInput.fill",
          "CachedFile.load",
          "MemoryAwareFile.tryRead");

  @TempDir Path folder;

  private final FaultSystemCalls faults = Fixtures.faults();
  private final List<List<StackFrame>> paths = new ArrayList<>();
  private final Thread reader = Thread.currentThread();

  /** What a miss finds. */
  private enum State {
    EMPTY_CACHE,
    FULL_CACHE,
    /** It has no slot to give, so that what is read goes to its spare memory. */
    CLOSED_CACHE,
    NO_CACHE,
    /** The input has jumped so often that one that bypasses the cache keeps what it reads there. */
    AFTER_JUMPS,
    /** Blocks are read past the page cache, and the file is open for that. */
    SHORT_OF_MEMORY,
    /** Half of the blocks are left to the page cache all the same. */
    SHORT_OF_MEMORY_IN_PART,
    /** The file is not open for it yet: the miss opens it, and tries whether it can be read. */
    FIRST_WHEN_SHORT_OF_MEMORY
  }

  /** Reads something of an input. */
  @FunctionalInterface
  interface Read {
    void of(IndexInput input) throws IOException;
  }

  static Stream<Read> reads() {
    return Stream.of(
        input -> assertEquals(1, input.readByte()),
        input -> assertEquals(0x0101, input.readShort()),
        input -> assertEquals(0x01010101, input.readInt()),
        input -> assertEquals(0x0101010101010101L, input.readLong()),
        input -> assertEquals(1, input.readVInt()),
        input -> input.readBytes(new byte[100], 0, 100),
        input -> input.readBytes(new byte[100_000], 0, 100_000),
        input -> input.readLongs(new long[100], 0, 100),
        input -> input.readInts(new int[100], 0, 100),
        input -> input.readFloats(new float[100], 0, 100),
        input -> input.readFloats(new float[100_000], 0, 100_000),
        input -> assertEquals(1, ((RandomAccessInput) input).readByte(5000)),
        input -> assertEquals(0x0101, ((RandomAccessInput) input).readShort(5000)),
        input -> assertEquals(0x01010101, ((RandomAccessInput) input).readInt(5000)),
        input -> assertEquals(0x0101010101010101L, ((RandomAccessInput) input).readLong(5000)),
        input ->
            assertEquals(
                0x0101010101010101L, ((RandomAccessInput) input).readLong((1 << BLOCK_BITS) - 1)),
        input -> input.readBytes(new byte[6000], 0, 6000),
        input -> ((PreadIndexInput) input).readBytes(5000, new byte[100], 0, 100),
        input -> ((PreadIndexInput) input).readBytes(5000, new byte[6000], 0, 6000),
        input -> ((PreadIndexInput) input).readBytes(5000, new byte[100_000], 0, 100_000));
  }

  @BeforeEach
  void writeFiles() throws IOException {
    byte[] content = new byte[FILE_SIZE];
    Arrays.fill(content, (byte) 1);
    Files.write(folder.resolve("f"), content);
    Files.write(folder.resolve("other"), content);
  }

  @ParameterizedTest
  @MethodSource("reads")
  void isShortAndLeadsDownwards(Read read) throws IOException {
    for (State state : State.values()) {
      for (IOContext context : Fixtures.CONTEXTS) {
        for (boolean isDirect : new boolean[] {false, true}) {
          miss(read, context, state, isDirect);
          String at = state + ", " + context + ", direct: " + isDirect;
          assertFalse(paths.isEmpty(), () -> "no miss: " + at);
          int most = state == State.FIRST_WHEN_SHORT_OF_MEMORY ? MAX_CALLS_TO_OPEN : MAX_CALLS;
          paths.forEach(path -> check(path, most, at));
        }
      }
    }
  }

  /** Each state is what its name says: a full cache is bypassed, an empty one is not. */
  @Test
  void statesLeadDifferentWays() throws IOException {
    Read few = input -> assertEquals(1, input.readByte());
    Read large = input -> ((PreadIndexInput) input).readBytes(5000, new byte[6000], 0, 6000);
    for (boolean isDirect : new boolean[] {false, true}) {
      miss(few, IOContext.DEFAULT, State.EMPTY_CACHE, isDirect);
      assertLeads("CachedPreadInput.fill", "CachedFile.load");
      miss(large, IOContext.DEFAULT, State.FULL_CACHE, isDirect);
      assertLeads("CachedPreadInput.readPast");
      miss(few, IOContext.DEFAULT, State.CLOSED_CACHE, isDirect);
      assertLeads("CachedPreadInput.fill", "CachedPreadInput.fillPrivately");
      miss(few, IOContext.DEFAULT, State.NO_CACHE, isDirect);
      assertLeads("BufferedPreadInput.fill");
      miss(few, IOContext.READONCE, State.AFTER_JUMPS, isDirect);
      assertLeads("BufferedPreadInput.fill", "CachedFile.load");
    }
    miss(
        input -> input.readBytes(new byte[100], 0, 100),
        Fixtures.RANDOM,
        State.FULL_CACHE,
        /* isDirect= */ false);
    assertLeads("CachedPreadInput.readPast");
    if (isNative()) {
      miss(few, IOContext.DEFAULT, State.FIRST_WHEN_SHORT_OF_MEMORY, /* isDirect= */ false);
      assertLeads("CachedPreadInput.fill", "MemoryAwareFile.tryRead");
    }
  }

  private boolean isNative() {
    return !faults.name().equals("channel");
  }

  /** Fails unless some path has these of the calls that tell states apart, and no others. */
  private void assertLeads(String... calls) {
    assertTrue(
        paths.stream()
            .map(path -> path.stream().map(MissPathTest::nameOf).collect(Collectors.toSet()))
            .peek(names -> names.retainAll(TELLING_CALLS))
            .anyMatch(Set.of(calls)::equals),
        () -> List.of(calls) + ": " + paths);
  }

  private static String nameOf(StackFrame call) {
    String className = call.getClassName();
    return className.substring(className.lastIndexOf('.') + 1) + "." + call.getMethodName();
  }

  private static void check(List<StackFrame> path, int most, String at) {
    assertTrue(path.size() - 1 <= most, () -> at + ": not the shortest way: " + path);
    List<Integer> layers =
        path.stream().map(call -> LAYERS.indexOf(packageOf(call.getClassName()))).toList();
    // The innermost comes first. Backends' inputs and tests stand above all layers.
    assertEquals(layers.stream().sorted((a, b) -> b - a).toList(), layers, () -> at + path);
    assertEquals(2, layers.get(0), () -> at + path);
  }

  private void miss(Read read, IOContext context, State state, boolean isDirect)
      throws IOException {
    paths.clear();
    faults.calm();
    // What the channel backend calls a descriptor is none that it could open again.
    faults.simulateDirect(isDirect || isNative() ? ALIGNMENT : 0);
    Backend backend = new Backend(faults);
    PreadConfig config = PreadConfig.DEFAULT;
    try (BlockCache tiny = Fixtures.tinyCache(CACHE_BLOCKS, BLOCK_BITS)) {
      BlockCache cache = state == State.NO_CACHE ? Fixtures.NO_CACHE : tiny;
      try (Directory directory =
              isDirect
                  ? Fixtures.direct(folder, config, cache, backend)
                  : Fixtures.directory(folder, config, cache, backend);
          IndexInput other = directory.openInput("other", IOContext.DEFAULT);
          IndexInput input = directory.openInput("f", context)) {
        switch (state) {
          case FULL_CACHE -> other.readBytes(new byte[FILE_SIZE], 0, FILE_SIZE);
          case CLOSED_CACHE -> cache.close();
          case AFTER_JUMPS -> jump(input);
          case SHORT_OF_MEMORY -> {
            Fixtures.beShortOfMemory(cache, 0);
            jump(input);
          }
          case SHORT_OF_MEMORY_IN_PART -> {
            Fixtures.beShortOfMemory(cache, 0);
            jump(input);
            Fixtures.beShortOfMemory(cache, 0.5);
          }
          case FIRST_WHEN_SHORT_OF_MEMORY -> Fixtures.beShortOfMemory(cache, 0);
          default -> {}
        }
        faults.on(Function.PREAD).always().first(this::look);
        faults.on(Function.PREADV).always().first(this::look);
        read.of(input);
        faults.calm();
      }
    }
  }

  /** Reads one byte here and there, so that no read goes on where the last one has ended. */
  private static void jump(IndexInput input) throws IOException {
    for (int i = 10; i > 0; i--) {
      input.seek(FILE_SIZE / 2 + i * (FILE_SIZE / 32));
      assertEquals(1, input.readByte());
    }
    input.seek(0);
  }

  /** Remembers the calls from the system call's method up to the one that Lucene makes. */
  private void look() {
    if (!Thread.currentThread().equals(reader)) {
      // A thread of the cache reads ahead, or completes a file, for which nobody waits.
      return;
    }
    paths.add(
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .dropWhile(frame -> !READ_CALLS.contains(frame.getMethodName()))
                        .takeWhile(frame -> !isOutside(frame))
                        .toList()));
  }

  /** Returns whether a call is the test's or Lucene's. */
  private static boolean isOutside(StackFrame frame) {
    return frame.getClassName().startsWith(MissPathTest.class.getName())
        || frame.getClassName().startsWith("org.apache.lucene.");
  }

  private static String packageOf(String className) {
    return className.substring(0, className.lastIndexOf('.'));
  }
}
