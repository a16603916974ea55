/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The way of a miss from Lucene's call to the system call is short, and leads downwards: no layer
 * is entered again from below.
 */
class MissPathTest {

  /** The most calls of ours between Lucene's and the kernel, the system call's method included. */
  private static final int MAX_CALLS = 8;

  private static final int BLOCK_BITS = 12;

  /** The layers from the top to the bottom. */
  private static final List<String> LAYERS =
      List.of("dev.pread.store", "dev.pread.cache", "dev.pread.posix");

  @TempDir Path folder;

  private final FaultSystemCalls faults = Fixtures.faults();
  private List<StackFrame> calls;

  /** Reads something of an input that nothing has been read of. */
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
        input -> input.readBytes(new byte[100], 0, 100),
        input -> input.readLongs(new long[100], 0, 100),
        input -> input.readInts(new int[100], 0, 100),
        input -> input.readFloats(new float[100], 0, 100),
        input -> assertEquals(1, ((RandomAccessInput) input).readByte(5000)),
        input -> assertEquals(0x0101, ((RandomAccessInput) input).readShort(5000)),
        input -> assertEquals(0x01010101, ((RandomAccessInput) input).readInt(5000)),
        input -> assertEquals(0x0101010101010101L, ((RandomAccessInput) input).readLong(5000)),
        input -> ((PreadIndexInput) input).readBytes(5000, new byte[100], 0, 100));
  }

  @ParameterizedTest
  @MethodSource("reads")
  void isShortAndLeadsDownwards(Read read) throws IOException {
    for (IOContext context : List.of(IOContext.DEFAULT, Fixtures.RANDOM)) {
      miss(read, context);
      assertNotNull(calls, "it misses");
      assertTrue(calls.size() - 1 <= MAX_CALLS, () -> "not the shortest way: " + calls);
      List<Integer> layers =
          calls.stream().map(call -> LAYERS.indexOf(packageOf(call.getClassName()))).toList();
      // The innermost comes first. Backends' inputs and tests stand above all layers.
      assertEquals(layers.stream().sorted((a, b) -> b - a).toList(), layers, () -> "" + calls);
      assertEquals(2, layers.get(0), () -> "" + calls);
    }
  }

  private void miss(Read read, IOContext context) throws IOException {
    calls = null;
    Files.write(folder.resolve("f"), content());
    Backend backend = new Backend(faults);
    PreadConfig config = PreadConfig.DEFAULT;
    faults.on(Function.PREADV).always().first(this::look);
    try (BlockCache cache = Fixtures.tinyCache(100, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, config, cache, backend);
        IndexInput input = directory.openInput("f", context)) {
      read.of(input);
    } finally {
      faults.calm();
      Files.delete(folder.resolve("f"));
    }
  }

  private static byte[] content() {
    byte[] bytes = new byte[3 << BLOCK_BITS];
    Arrays.fill(bytes, (byte) 1);
    return bytes;
  }

  /** Remembers the calls from the system call's method up to the one that Lucene makes. */
  private void look() {
    calls =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .dropWhile(frame -> !frame.getMethodName().equals("preadv"))
                        .takeWhile(frame -> !isTest(frame))
                        .toList());
  }

  private static boolean isTest(StackFrame frame) {
    return frame.getClassName().startsWith(MissPathTest.class.getName());
  }

  private static String packageOf(String className) {
    return className.substring(0, className.lastIndexOf('.'));
  }
}
