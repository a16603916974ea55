/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lives of inputs, clones and slices: who closes whom, what they cost, who may make them. */
class CloneTest extends BackendTestCase {

  private static final int LENGTH = 10_000;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private PreadDirectory directory;

  @BeforeEach
  void open() throws Exception {
    Files.write(folder.resolve("f"), data);
    directory = Fixtures.directory(folder, backend);
  }

  @AfterEach
  void close() throws Exception {
    directory.close();
    assertEquals(faults.count(Function.OPEN), faults.count(Function.CLOSE));
  }

  private PreadIndexInput openInput() throws IOException {
    return (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT);
  }

  private interface Use {
    void of(PreadIndexInput input) throws IOException;
  }

  /** Everything that can be asked of an input that is open. */
  private static Map<String, Use> uses() {
    Map<String, Use> uses = new LinkedHashMap<>();
    uses.put("readByte", PreadIndexInput::readByte);
    uses.put("readShort", PreadIndexInput::readShort);
    uses.put("readInt", PreadIndexInput::readInt);
    uses.put("readLong", PreadIndexInput::readLong);
    uses.put("readVInt", PreadIndexInput::readVInt);
    uses.put("readVLong", PreadIndexInput::readVLong);
    uses.put("readBytes, few", in -> in.readBytes(new byte[2], 0, 2));
    uses.put("readBytes, many", in -> in.readBytes(new byte[5000], 0, 5000));
    uses.put("readInts, few", in -> in.readInts(new int[2], 0, 2));
    uses.put("readInts, many", in -> in.readInts(new int[1000], 0, 1000));
    uses.put("readLongs, few", in -> in.readLongs(new long[2], 0, 2));
    uses.put("readLongs, many", in -> in.readLongs(new long[1000], 0, 1000));
    uses.put("readFloats, few", in -> in.readFloats(new float[2], 0, 2));
    uses.put("readFloats, many", in -> in.readFloats(new float[1000], 0, 1000));
    uses.put("readByte(1)", in -> in.readByte(1));
    uses.put("readShort(1)", in -> in.readShort(1));
    uses.put("readInt(1)", in -> in.readInt(1));
    uses.put("readLong(1)", in -> in.readLong(1));
    uses.put("readByte(3000)", in -> in.readByte(3000));
    uses.put("readShort(3000)", in -> in.readShort(3000));
    uses.put("readInt(3000)", in -> in.readInt(3000));
    uses.put("readLong(3000)", in -> in.readLong(3000));
    uses.put("readBytes at 3000, few", in -> in.readBytes(3000, new byte[2], 0, 2));
    uses.put("readByte(5000)", in -> in.readByte(5000));
    uses.put("readShort(5000)", in -> in.readShort(5000));
    uses.put("readInt(5000)", in -> in.readInt(5000));
    uses.put("readLong(5000)", in -> in.readLong(5000));
    uses.put("readBytes at 1, few", in -> in.readBytes(1, new byte[2], 0, 2));
    uses.put("readBytes at 1, many", in -> in.readBytes(1, new byte[5000], 0, 5000));
    uses.put("seek near", in -> in.seek(in.getFilePointer()));
    uses.put("seek far", in -> in.seek(6000));
    uses.put("skipBytes", in -> in.skipBytes(1));
    uses.put("clone", in -> assertEquals(in.length(), in.clone().length()));
    uses.put("slice", in -> in.slice("s", 0, 10));
    uses.put("slice, context", in -> in.slice("s", 0, 10, IOContext.READONCE));
    uses.put("randomAccessSlice", in -> in.randomAccessSlice(0, 10));
    uses.put("prefetch near", in -> in.prefetch(in.getFilePointer(), 1));
    uses.put("prefetch far", in -> in.prefetch(6000, 1));
    uses.put("updateIOContext", in -> in.updateIOContext(IOContext.READONCE));
    return uses;
  }

  /** Returns the same, and what an open input refuses. */
  private Map<String, Use> usesAndMisuses() {
    Map<String, Use> uses = uses();
    uses.put("seek behind the end", in -> in.seek(in.length() + 1));
    uses.put("skipBytes behind the end", in -> in.skipBytes(in.length() + 1));
    uses.put("readByte behind the end", in -> in.readByte(in.length()));
    uses.put("prefetch behind the end", in -> in.prefetch(in.length(), 1));
    return uses;
  }

  /** Leaves bytes buffered both at the cursor and for absolute reads. */
  private void fill(PreadIndexInput input) throws IOException {
    assertEquals(data[3000], input.readByte(3000));
    input.seek(0);
    assertEquals(data[0], input.readByte());
  }

  private static void assertClosed(PreadIndexInput input, Use use, String text) {
    AlreadyClosedException e =
        assertThrows(AlreadyClosedException.class, () -> use.of(input), text);
    assertTrue(e.getMessage().contains(input.toString()), text + ": " + e.getMessage());
  }

  @Test
  void closingTheMasterClosesAllThatWasMadeOfIt() throws Exception {
    for (Map.Entry<String, Use> use : usesAndMisuses().entrySet()) {
      PreadIndexInput master = openInput();
      PreadIndexInput slice = master.slice("slice", 0, LENGTH - 1);
      Map<String, PreadIndexInput> inputs = new LinkedHashMap<>();
      inputs.put("master", master);
      inputs.put("clone", master.clone());
      inputs.put("slice", slice);
      inputs.put("clone of slice", slice.clone());
      inputs.put("slice of slice", slice.slice("inner", 0, LENGTH - 2));
      inputs.put("read-once slice", master.slice("once", 0, LENGTH, IOContext.READONCE));
      inputs.put("random access slice", (PreadIndexInput) master.randomAccessSlice(0, LENGTH));
      for (PreadIndexInput input : inputs.values()) {
        fill(input);
      }
      PreadIndexInput fresh = master.clone();
      inputs.put("clone that has read nothing", fresh);
      master.close();
      assertEquals(0, backend.openFiles());
      long calls = faults.count();
      for (Map.Entry<String, PreadIndexInput> input : inputs.entrySet()) {
        String text = use.getKey() + " of " + input.getKey();
        assertClosed(input.getValue(), use.getValue(), text);
        assertClosed(input.getValue(), use.getValue(), text + ", again");
        input.getValue().close();
        input.getValue().close();
        assertClosed(input.getValue(), use.getValue(), text + ", closed itself");
      }
      assertEquals(calls, faults.count(), "nothing reaches the kernel after close");
    }
  }

  @Test
  void closingACloneClosesOnlyThatClone() throws Exception {
    try (PreadIndexInput master = openInput()) {
      for (Map.Entry<String, Use> use : uses().entrySet()) {
        fill(master);
        PreadIndexInput slice = master.slice("slice", 0, LENGTH - 1);
        PreadIndexInput inner = slice.clone();
        PreadIndexInput other = master.clone();
        for (PreadIndexInput closed : List.of(master.clone(), slice)) {
          fill(closed);
          closed.close();
          closed.close();
          assertClosed(closed, use.getValue(), use.getKey());
        }
        for (PreadIndexInput open : List.of(inner, other, master)) {
          fill(open);
          assertDoesNotThrow(() -> use.getValue().of(open), use.getKey());
          assertEquals(data[77], open.readByte(77));
        }
        master.updateIOContext(IOContext.DEFAULT);
        assertEquals(1, backend.openFiles());
      }
    }
  }

  @Test
  void closingTheDirectoryLeavesInputsOpen() throws Exception {
    try (PreadIndexInput master = openInput()) {
      directory.close();
      assertEquals(data[0], master.readByte());
      assertEquals(data[9000], master.clone().readByte(9000));
    }
  }

  @Test
  void clonesAndSlicesMakeNoCallAndNoBuffer() throws Exception {
    PreadConfig large = PreadConfig.builder().bufferSize(1 << 20).build();
    try (PreadDirectory ours = Fixtures.directory(folder, large, backend);
        PreadIndexInput master = (PreadIndexInput) ours.openInput("f", IOContext.DEFAULT)) {
      master.readByte();
      long calls = faults.count();
      List<PreadIndexInput> kept = new ArrayList<>();
      // With a buffer each, these would need 150 GB, and with one once they read, 50 GB.
      for (int i = 0; i < 50_000; i++) {
        kept.add(master.clone());
        kept.add(master.slice("s", i % 1000, 10));
        kept.add(master.slice("s", i % 1000, 10, IOContext.READONCE));
      }
      assertEquals(calls, faults.count(), "clone and slice make no call");
      for (int i = 1; i < kept.size(); i += 3) {
        kept.get(i).readByte();
        kept.get(i).readByte(5);
      }
      assertEquals(150_000, kept.size());
      assertEquals(1, backend.openFiles());
    }
  }

  @Test
  void aCloneHasItsOwnCursor() throws Exception {
    try (PreadIndexInput master = openInput()) {
      master.seek(123);
      PreadIndexInput clone = master.clone();
      assertEquals(123, clone.getFilePointer());
      clone.seek(9000);
      assertEquals(data[9000], clone.readByte());
      assertEquals(123, master.getFilePointer());
      assertEquals(data[123], master.readByte());
      assertEquals(9001, clone.getFilePointer());
    }
  }

  @Test
  void descriptionsNameTheFileAndTheSlices() throws Exception {
    try (PreadIndexInput master = openInput()) {
      String file = "PreadIndexInput(path=\"" + folder.resolve("f") + "\")";
      assertEquals(file, master.toString());
      assertEquals(file, master.clone().toString());
      PreadIndexInput slice = master.slice("_0.tim", 5, 100);
      assertEquals(file + " [slice=_0.tim]", slice.toString());
      assertEquals(file + " [slice=_0.tim]", slice.clone().toString());
      assertEquals(file + " [slice=_0.tim] [slice=block]", slice.slice("block", 5, 10).toString());
      assertEquals(file, master.slice(null, 0, 1).toString());
      assertEquals(file + " [slice=randomaccess]", master.randomAccessSlice(0, 1).toString());
    }
  }

  /** A merge changes it while searches clone and slice the same input. */
  @Test
  void aChangeOfItsContextMovesNeitherTheCursorNorTheWindow() throws Exception {
    try (PreadIndexInput master = openInput()) {
      master.seek(500);
      assertEquals(data[500], master.readByte());
      int reads = faults.calls(Function.PREAD).size();
      for (IOContext context : Fixtures.CONTEXTS) {
        master.updateIOContext(context);
        assertEquals(data[(int) master.getFilePointer()], master.readByte());
      }
      assertEquals(501 + Fixtures.CONTEXTS.size(), master.getFilePointer());
      assertEquals(reads, faults.calls(Function.PREAD).size(), "all of it was buffered");
    }
  }

  @Test
  void manyThreadsCloneAndSliceOneMasterWithoutChangingIt() throws Exception {
    try (PreadIndexInput master = openInput()) {
      master.seek(500);
      byte[] before = new byte[100];
      master.readBytes(before, 0, 100);
      master.readByte(7000);
      long calls = faults.count();
      Fixtures.inThreads(
          8,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            byte[] bytes = new byte[50];
            for (int i = 0; i < 1000; i++) {
              int offset = random.nextInt(LENGTH - 50);
              PreadIndexInput clone = master.clone();
              assertEquals(600, clone.getFilePointer());
              PreadIndexInput slice =
                  i % 2 == 0
                      ? master.slice("s", offset, 50)
                      : master.slice("s", offset, 50, Fixtures.CONTEXTS.get(i % 5));
              if (i % 10 == 0) {
                assertEquals(data[600], clone.readByte());
                clone.updateIOContext(Fixtures.CONTEXTS.get(i / 10 % 5));
                slice.readBytes(bytes, 0, 50);
                assertArrayEquals(java.util.Arrays.copyOfRange(data, offset, offset + 50), bytes);
                clone.close();
              }
            }
          });
      assertTrue(faults.count() > calls);
      assertEquals(600, master.getFilePointer());
      assertEquals(LENGTH, master.length());
      calls = faults.count();
      assertEquals(data[600], master.readByte());
      assertEquals(data[7000], master.readByte(7000));
      assertEquals(calls, faults.count(), "what was buffered is still buffered");
      assertEquals("PreadIndexInput(path=\"" + folder.resolve("f") + "\")", master.toString());
    }
  }
}
