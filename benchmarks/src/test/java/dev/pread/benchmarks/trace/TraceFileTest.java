/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written is read again, and nothing else is. */
class TraceFileTest {
  private static final Pattern OFFSET = Pattern.compile("is damaged at byte (\\d+): ");

  @TempDir private Path temp;

  /** Everything a trace says, a line per event. */
  private static List<String> read(Path file) throws IOException {
    List<String> events = new ArrayList<>();
    try (TraceReader reader = TraceReader.open(file)) {
      while (reader.next()) {
        switch (reader.event()) {
          case FILE -> {
            int last = reader.files() - 1;
            events.add("file " + reader.name(last) + " " + reader.length(last));
          }
          case ACCESS ->
              events.add("read " + reader.file() + " " + reader.block() + " " + reader.flags());
          case DELETE -> events.add("delete " + reader.file());
        }
      }
      assertFalse(reader.next(), "the end stays the end");
    }
    return events;
  }

  /** Random events, written to the file and returned as {@link #read} should. */
  private static List<String> write(Path file, SplittableRandom random) throws IOException {
    List<String> events = new ArrayList<>();
    List<Integer> blocks = new ArrayList<>();
    List<Integer> live = new ArrayList<>();
    List<String> names = new ArrayList<>();
    try (TraceWriter trace = TraceWriter.create(file)) {
      int count = random.nextInt(400);
      for (int i = 0; i < count; i++) {
        int kind = random.nextInt(20);
        if (live.isEmpty() || kind == 0) {
          int size = 1 + random.nextInt(1 << random.nextInt(1, 20));
          String name = "_" + blocks.size() + (random.nextBoolean() ? ".dat" : ".\u00e4\u20ac");
          long length = (size - 1L) * TraceFormat.BLOCK_SIZE + 1 + random.nextInt(4096);
          assertEquals(blocks.size(), trace.file(name, length));
          assertEquals(blocks.size(), trace.file(name, length), "known");
          events.add("file " + name + " " + length);
          live.add(blocks.size());
          names.add(name);
          blocks.add(size);
        } else if (kind == 1) {
          int gone = live.get(random.nextInt(live.size()));
          live.remove(Integer.valueOf(gone));
          String name = names.get(gone);
          trace.deleted(name);
          trace.deleted(name);
          events.add("delete " + gone);
        } else {
          // Of deleted files too: an open input outlives the deletion.
          int number = random.nextInt(blocks.size());
          int block = random.nextInt(blocks.get(number));
          int flags = random.nextInt(8);
          trace.access(number, block, flags);
          events.add("read " + number + " " + block + " " + flags);
        }
      }
    }
    return events;
  }

  @Test
  void randomEventsComeBack() throws IOException {
    Path file = temp.resolve("random.trace");
    for (int seed = 0; seed < 200; seed++) {
      List<String> written = write(file, new SplittableRandom(seed));
      assertEquals(written, read(file), "seed " + seed);
    }
  }

  @Test
  void largestNumbersComeBack() throws IOException {
    Path file = temp.resolve("large.trace");
    try (TraceWriter trace = TraceWriter.create(file)) {
      trace.file("large", TraceFormat.MAX_FILE_LENGTH);
      trace.access(0, (1L << 32) - 1, 7);
      trace.access(0, 0, 7);
    }
    assertEquals(
        List.of("file large " + (1L << 44), "read 0 4294967295 7", "read 0 0 7"), read(file));
    Trace loaded = Trace.load(file);
    assertEquals((1L << 32) - 1, loaded.block(0));
    assertEquals(7, loaded.flags(0));
    assertFalse(loaded.isDelete(0));
  }

  @Test
  void aFileOfOtherLengthUnderTheSameNameIsAnother() throws IOException {
    Path file = temp.resolve("names.trace");
    try (TraceWriter trace = TraceWriter.create(file)) {
      assertEquals(0, trace.file("pending", 10));
      trace.renamed("pending", "segments_1");
      assertEquals(0, trace.file("segments_1", 10));
      assertEquals(1, trace.file("pending", 10));
      assertEquals(2, trace.file("pending", 11));
      trace.renamed("unknown", "known");
      trace.deleted("known");
    }
    assertEquals(
        List.of("file pending 10", "file pending 10", "delete 1", "file pending 11"), read(file));
  }

  @Test
  void everyTruncationIsNoticed() throws IOException {
    Path file = temp.resolve("whole.trace");
    write(file, new SplittableRandom(3));
    byte[] whole = Files.readAllBytes(file);
    assertTrue(whole.length > 300);
    Path cut = temp.resolve("cut.trace");
    for (int length = 0; length < whole.length; length++) {
      Files.write(cut, Arrays.copyOf(whole, length));
      TraceFormatException e = assertThrows(TraceFormatException.class, () -> read(cut));
      assertEquals(length, offset(e, cut), e.getMessage());
      assertTrue(e.getMessage().contains("the recording was cut short"), e.getMessage());
    }
  }

  @Test
  void everyChangedByteIsNoticed() throws IOException {
    Path file = temp.resolve("whole.trace");
    write(file, new SplittableRandom(5));
    byte[] whole = Files.readAllBytes(file);
    Path changed = temp.resolve("changed.trace");
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < whole.length; i++) {
      byte[] bytes = whole.clone();
      bytes[i] ^= (byte) (1 + random.nextInt(255));
      Files.write(changed, bytes);
      TraceFormatException e = assertThrows(TraceFormatException.class, () -> read(changed));
      assertTrue(offset(e, changed) <= whole.length, e.getMessage());
      assertThrows(TraceFormatException.class, () -> Trace.load(changed));
    }
  }

  @Test
  void bytesAfterTheEndAreNoticed() throws IOException {
    Path file = temp.resolve("longer.trace");
    write(file, new SplittableRandom(5));
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length + 1));
    TraceFormatException e = assertThrows(TraceFormatException.class, () -> read(file));
    assertEquals(whole.length, offset(e, file));
  }

  @Test
  void noiseIsRefused() throws IOException {
    Path file = temp.resolve("noise.trace");
    for (int seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] noise = new byte[random.nextInt(2_000)];
      random.nextBytes(noise);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      if (seed % 5 != 0) {
        bytes.write(TraceFormat.MAGIC);
        bytes.write(TraceFormat.VERSION);
      }
      bytes.write(noise);
      Files.write(file, bytes.toByteArray());
      TraceFormatException e = assertThrows(TraceFormatException.class, () -> Trace.load(file));
      assertTrue(offset(e, file) <= bytes.size(), e.getMessage());
    }
  }

  @Test
  void senselessFieldsAreNamed() throws IOException {
    refused("version 2", 8, 2);
    refused("a file name of 0 bytes", 9, 1, 2);
    // 2^40 bytes: kind 2, value 2^40.
    refused("a file name of 1099511627776 bytes", 9, 1, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 1);
    refused("a file name that is not UTF-8", 9, 1, 6, 0xff, 0);
    refused("more than 63 bits", 9, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255);
    refused("file 0 of 0", 9, 1, 0);
    refused("file 5 of 0", 9, 1, (6 << 2) | 3);
    refused("block 1 of file a, which has 1", 12, 1, 6, 'a', 5, 8);
    refused("block -1 of file a, which has 1", 12, 1, 6, 'a', 5, 4);
    refused("deleted twice", 13, 1, 6, 'a', 5, 7, 7);
    refused("0 accesses, but the end says 4", 9, 1, 3, 4);
    refused("the checksum is", 11, 1, 3, 0, 0, 0, 0, 0);
  }

  private void refused(String problem, int offset, int... afterMagic) throws IOException {
    Path file = temp.resolve("senseless.trace");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write("LPRTRACE".getBytes(StandardCharsets.US_ASCII));
    for (int value : afterMagic) {
      bytes.write(value);
    }
    Files.write(file, bytes.toByteArray());
    TraceFormatException e = assertThrows(TraceFormatException.class, () -> read(file));
    assertTrue(e.getMessage().contains(problem), e.getMessage());
    assertEquals(offset, offset(e, file), e.getMessage());
  }

  private static long offset(TraceFormatException e, Path file) {
    assertTrue(e.getMessage().startsWith("trace " + file + " "), e.getMessage());
    Matcher matcher = OFFSET.matcher(e.getMessage());
    assertTrue(matcher.find(), e.getMessage());
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void closedTraceTakesNoMore() throws IOException {
    Path file = temp.resolve("closed.trace");
    TraceWriter trace = TraceWriter.create(file);
    trace.file("a", 1);
    trace.access(0, 0, 0);
    trace.close();
    trace.access(trace.file("b", 1), 0, 0);
    trace.deleted("a");
    trace.close();
    assertEquals(List.of("file a 1", "read 0 0 0"), read(file));
  }

  @Test
  void fullDiskShowsAtTheEndOnly() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    TraceWriter trace = TraceWriter.create(full);
    int file = trace.file("a", 1 << 30);
    for (int i = 0; i < 100_000; i++) {
      trace.access(file, i % 1000, 0);
    }
    IOException e = assertThrows(IOException.class, trace::close);
    assertTrue(e.getMessage().contains("/dev/full could not be written"), e.getMessage());
  }
}
