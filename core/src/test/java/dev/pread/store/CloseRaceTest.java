/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads that race with the close of their file, while the descriptor is handed out again: every
 * byte of a file is the file's number, so that a byte of another file shows.
 */
class CloseRaceTest {

  private static final int FILES = 8;
  private static final int LENGTH = 40_000;
  private static final PreadConfig SMALL =
      Fixtures.sequentialBuffer(PreadConfig.builder().bufferSize(64), 64).build();

  @TempDir Path folder;

  @BeforeEach
  void write() throws Exception {
    for (int i = 0; i < FILES; i++) {
      byte[] bytes = new byte[LENGTH];
      Arrays.fill(bytes, (byte) i);
      Files.write(folder.resolve("f" + i), bytes);
    }
  }

  private static PreadIndexInput open(PreadDirectory directory, int file) throws IOException {
    return (PreadIndexInput) directory.openInput("f" + file, IOContext.DEFAULT);
  }

  /** Reads somehow, somewhere; every byte must be {@code file}. */
  private static void read(PreadIndexInput input, int file, Random random, byte[] bytes)
      throws IOException {
    int at = random.nextInt(LENGTH - bytes.length);
    long all = file * 0x0101010101010101L;
    switch (random.nextInt(6)) {
      case 0 -> {
        input.seek(at);
        assertEquals(all, input.readLong(), "cursor");
      }
      case 1 -> assertEquals(all, input.readLong(at), "absolute");
      case 2 -> {
        input.seek(at);
        input.readBytes(bytes, 0, bytes.length);
        assertAll(bytes, file);
      }
      case 3 -> {
        input.readBytes(at, bytes, 0, bytes.length);
        assertAll(bytes, file);
      }
      case 4 -> assertEquals(file, input.slice("s", at, 10).readByte(), "slice");
      default -> {
        long[] longs = new long[20];
        PreadIndexInput clone = input.clone();
        clone.seek(at);
        clone.readLongs(longs, 0, 20);
        assertTrue(Arrays.stream(longs).allMatch(l -> l == all), "clone");
        clone.prefetch(at, 1);
      }
    }
  }

  private static void assertAll(byte[] bytes, int file) {
    for (byte b : bytes) {
      assertEquals(file, b, "a byte of another file");
    }
  }

  @Test
  void aReadThatRacesWithCloseNeverReadsAnotherFile() throws Exception {
    Backend backend = new Backend(Fixtures.backend().calls());
    int rounds = 250;
    int readers = 6;
    AtomicReferenceArray<PreadIndexInput> inputs = new AtomicReferenceArray<>(FILES);
    CyclicBarrier barrier = new CyclicBarrier(readers + 2);
    LongAdder reads = new LongAdder();
    LongAdder refusals = new LongAdder();
    try (PreadDirectory directory = Fixtures.directory(folder, SMALL, backend)) {
      Fixtures.inThreads(
          readers + 2,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            byte[] bytes = new byte[300];
            for (int round = 0; round < rounds; round++) {
              if (thread == 0) {
                for (int i = 0; i < FILES; i++) {
                  inputs.set(i, open(directory, i));
                }
              }
              barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
              if (thread == 0) {
                // Each freed descriptor is soon another file's.
                for (int i = 0; i < FILES; i++) {
                  inputs.get(i).close();
                  try (PreadIndexInput next = open(directory, (i + 1) % FILES)) {
                    read(next, (i + 1) % FILES, random, bytes);
                  }
                }
              } else if (thread == 1) {
                for (int i = 0; i < 2 * FILES; i++) {
                  int file = random.nextInt(FILES);
                  try (PreadIndexInput next = open(directory, file)) {
                    read(next, file, random, bytes);
                  }
                }
              } else {
                int file = (thread + round) % FILES;
                PreadIndexInput clone;
                try {
                  clone = inputs.get(file).clone();
                  while (true) {
                    read(clone, file, random, bytes);
                    reads.increment();
                  }
                } catch (AlreadyClosedException closed) {
                  refusals.increment();
                }
              }
              barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
          });
    }
    assertEquals((long) rounds * readers, refusals.sum());
    assertTrue(reads.sum() > rounds, "reads: " + reads.sum());
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  @Test
  void closingFromManyThreadsClosesOnce() throws Exception {
    FaultSystemCalls faults = Fixtures.faults();
    Backend backend = new Backend(faults);
    int rounds = 300;
    int threads = 4;
    AtomicReference<PreadIndexInput> input = new AtomicReference<>();
    CyclicBarrier barrier = new CyclicBarrier(threads);
    try (PreadDirectory directory = Fixtures.directory(folder, SMALL, backend)) {
      Fixtures.inThreads(
          threads,
          thread -> {
            for (int round = 0; round < rounds; round++) {
              if (thread == 0) {
                input.set(open(directory, round % FILES));
              }
              barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
              input.get().close();
              barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
              if (thread == 0) {
                assertEquals(0, backend.openFiles());
              }
            }
          });
    }
    assertEquals(rounds, faults.count(Function.OPEN));
    assertEquals(rounds, faults.count(Function.CLOSE));
  }

  /** The race above, in slow motion: the close comes between the registration and the call. */
  @Test
  void aCloseInTheMiddleOfAReadLetsItEndOnItsOwnFile() throws Exception {
    FaultSystemCalls faults = Fixtures.faults();
    Backend backend = new Backend(faults);
    AtomicReference<PreadIndexInput> master = new AtomicReference<>();
    AtomicReference<PreadIndexInput> other = new AtomicReference<>();
    try (PreadDirectory directory = Fixtures.directory(folder, SMALL, backend)) {
      faults
          .on(Function.PREAD)
          .at(1)
          .first(
              () -> {
                try {
                  master.get().close();
                  assertEquals(0, faults.count(Function.CLOSE), "closed under a reader");
                  // Would get the number of a descriptor that was closed.
                  other.set(open(directory, 7));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      master.set(open(directory, 3));
      PreadIndexInput clone = master.get().clone();
      byte[] bytes = new byte[200];
      clone.readBytes(bytes, 0, 200);
      assertAll(bytes, 3);
      assertEquals(1, faults.count(Function.CLOSE), "the last user has left");
      assertThrows(AlreadyClosedException.class, clone::readByte);
      assertThrows(AlreadyClosedException.class, () -> clone.readByte(30_000));
      assertEquals(1, backend.openFiles());
      assertEquals(7, other.get().readByte());
      other.get().close();
    }
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  @Test
  void aReadThatFailsWhileItsFileIsBeingClosedStillClosesIt() throws Exception {
    FaultSystemCalls faults = Fixtures.faults();
    Backend backend = new Backend(faults);
    AtomicReference<PreadIndexInput> master = new AtomicReference<>();
    try (PreadDirectory directory = Fixtures.directory(folder, SMALL, backend)) {
      faults
          .on(Function.PREAD)
          .at(1)
          .first(
              () -> {
                try {
                  master.get().close();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                throw new IllegalStateException("by script");
              });
      master.set(open(directory, 3));
      PreadIndexInput clone = master.get().clone();
      assertThrows(IllegalStateException.class, clone::readByte);
      assertEquals(1, faults.count(Function.CLOSE));
      assertEquals(0, backend.openFiles());
      assertThrows(AlreadyClosedException.class, clone::readByte);
      assertFalse(Thread.currentThread().isInterrupted());
    }
  }
}
