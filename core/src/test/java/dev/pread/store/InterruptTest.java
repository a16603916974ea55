/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interrupted thread reads and writes on, closes nothing, and stays interrupted. */
class InterruptTest {

  private static final int LENGTH = 300_000;
  private static final PreadConfig SMALL =
      Fixtures.sequentialBuffer(PreadConfig.builder().bufferSize(64), 64).build();

  @TempDir Path folder;

  private final Backend backend = new Backend(Fixtures.backend().calls());
  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private PreadDirectory directory;

  @BeforeEach
  void write() throws Exception {
    Files.write(folder.resolve("f"), data);
    directory = Fixtures.directory(folder, SMALL, backend);
  }

  @AfterEach
  void nothingStaysOpenAndNobodyInterrupted() throws Exception {
    assertFalse(Thread.interrupted(), "a test left its thread interrupted");
    directory.close();
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private PreadIndexInput open() throws IOException {
    return (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT);
  }

  private void readSomewhere(PreadIndexInput input, Random random, byte[] bytes)
      throws IOException {
    int at = random.nextInt(LENGTH - bytes.length);
    switch (random.nextInt(3)) {
      case 0 -> {
        input.seek(at);
        assertEquals(data[at], input.readByte());
        assertEquals(at + 1, input.getFilePointer());
      }
      case 1 -> assertEquals(data[at], input.readByte(at));
      default -> {
        input.seek(at);
        input.readBytes(bytes, 0, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
          assertEquals(data[at + i], bytes[i]);
        }
      }
    }
  }

  @Test
  void anInterruptedThreadReadsOnAndStaysInterrupted() throws Exception {
    Thread.currentThread().interrupt();
    try (PreadIndexInput input = open()) {
      assertTrue(Thread.currentThread().isInterrupted(), "after open");
      Random random = new Random(Fixtures.SEED);
      byte[] bytes = new byte[500];
      for (int i = 0; i < 200; i++) {
        readSomewhere(input, random, bytes);
        assertTrue(Thread.currentThread().isInterrupted(), "after read " + i);
      }
      PreadIndexInput slice = input.clone().slice("s", 1000, 1000);
      slice.prefetch(0, 1000);
      slice.updateIOContext(IOContext.READONCE);
      assertEquals(data[1000], slice.readByte());
      assertTrue(Thread.interrupted(), "still");
      assertEquals(data[2000], input.readByte(2000));
      assertFalse(Thread.currentThread().isInterrupted(), "nor does a read interrupt");
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void anInterruptedThreadWritesARightFile() throws Exception {
    Thread.currentThread().interrupt();
    try {
      long checksum;
      try (IndexOutput output = directory.createOutput("out", IOContext.DEFAULT)) {
        for (int i = 0; i < LENGTH; ) {
          int count = Math.min(1 + i % 7919, LENGTH - i);
          output.writeBytes(data, i, count);
          i += count;
          assertTrue(Thread.currentThread().isInterrupted());
        }
        checksum = output.getChecksum();
      }
      String temp;
      try (IndexOutput output = directory.createTempOutput("t", "mp", IOContext.DEFAULT)) {
        output.writeInt(17);
        temp = output.getName();
      }
      directory.sync(List.of("out", temp));
      assertTrue(Thread.currentThread().isInterrupted(), "after sync");
      try (ChecksumIndexInput input = LuceneCalls.openChecksumInput(directory, "out")) {
        input.seek(LENGTH);
        assertEquals(checksum, input.getChecksum());
      }
      assertTrue(Thread.interrupted(), "still");
      CRC32 crc = new CRC32();
      crc.update(data);
      assertEquals(crc.getValue(), checksum);
      assertArrayEquals(data, Files.readAllBytes(folder.resolve("out")));
      assertEquals(4, Files.size(folder.resolve(temp)));
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void anInterruptedThreadSyncsTheDirectory() throws Exception {
    Thread.currentThread().interrupt();
    try {
      directory.syncMetaData();
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
  }

  /**
   * One thread interrupts all readers but the last as often as it can, until each of them has seen
   * many; the file is deleted on the way.
   */
  @Test
  void interruptsInTheMiddleOfReadsHarmNobody() throws Exception {
    int readers = 4;
    int interruptsWanted = 2000;
    int readsWanted = 10_000;
    for (int round = 0; round < 3; round++) {
      Files.deleteIfExists(folder.resolve("f"));
      Files.write(folder.resolve("f"), data);
      LongAdder seen = new LongAdder();
      LongAdder undisturbed = new LongAdder();
      AtomicBoolean done = new AtomicBoolean();
      AtomicInteger harassed = new AtomicInteger(readers - 1);
      List<AtomicReference<Thread>> targets =
          java.util.stream.IntStream.range(0, readers - 1)
              .mapToObj(i -> new AtomicReference<Thread>())
              .toList();
      int seed = round;
      try (PreadIndexInput master = open()) {
        Fixtures.inThreads(
            readers + 1,
            thread -> {
              if (thread == readers) {
                harass(targets, done);
                return;
              }
              Random random = new Random(Fixtures.SEED + thread + 31L * seed);
              PreadIndexInput clone = master.clone();
              byte[] bytes = new byte[200];
              if (thread == readers - 1) {
                while (!done.get()) {
                  readSomewhere(clone, random, bytes);
                  undisturbed.increment();
                  assertFalse(Thread.currentThread().isInterrupted(), "an interrupt got about");
                }
                return;
              }
              targets.get(thread).set(Thread.currentThread());
              try {
                int interrupts = 0;
                for (int i = 0; i < readsWanted || interrupts < interruptsWanted; i++) {
                  readSomewhere(clone, random, bytes);
                  if (Thread.interrupted()) {
                    interrupts++;
                    seen.increment();
                  }
                  if (thread == 0 && i == readsWanted / 2) {
                    Files.delete(folder.resolve("f"));
                  }
                }
              } finally {
                targets.get(thread).set(null);
                if (harassed.decrementAndGet() == 0) {
                  done.set(true);
                }
              }
            });
        assertTrue(Files.notExists(folder.resolve("f")));
        assertTrue(seen.sum() >= (readers - 1L) * interruptsWanted);
        assertTrue(undisturbed.sum() > 0);
        readSomewhere(master, new Random(1), new byte[1000]);
      }
    }
  }

  /** Interrupts whoever is registered, until {@code done}. */
  private static void harass(List<AtomicReference<Thread>> targets, AtomicBoolean done) {
    while (!done.get()) {
      for (AtomicReference<Thread> target : targets) {
        Thread thread = target.get();
        if (thread != null) {
          thread.interrupt();
        }
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aFileThatIsDeletedWhileOpenIsReadToItsEnd() throws Exception {
    try (PreadIndexInput input = open()) {
      directory.deleteFile("f");
      Thread.currentThread().interrupt();
      byte[] bytes = new byte[LENGTH];
      input.readBytes(bytes, 0, LENGTH);
      assertTrue(Thread.interrupted());
      assertArrayEquals(data, bytes);
      try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
        output.writeByte((byte) 1);
      }
      assertEquals(data[0], input.readByte(0), "not the new file's");
      input.readBytes(0, bytes, 0, LENGTH);
      assertArrayEquals(data, bytes);
      try (IndexInput other = directory.openInput("f", IOContext.DEFAULT)) {
        assertEquals(1, other.length());
      }
    } finally {
      Thread.interrupted();
    }
  }
}
