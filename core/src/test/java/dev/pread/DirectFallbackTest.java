/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultPosix;
import dev.pread.posix.FaultPosix.Call;
import dev.pread.posix.FaultPosix.Function;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where there is no direct I/O, files are read and written all the same, and it is said once. */
class DirectFallbackTest {

  private static final int LENGTH = 300_001;

  /** Remembers what is logged. */
  private static final class Memory extends Handler {
    final List<LogRecord> records = new ArrayList<>();

    @Override
    public void publish(LogRecord logged) {
      records.add(logged);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @TempDir Path folder;

  private final FaultPosix faults = Fixtures.faults();
  private final Backend backend = new Backend(faults);
  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final Logger logger = Logger.getLogger(DirectPreadDirectory.class.getName());
  private final Memory log = new Memory();

  @BeforeEach
  void listen() {
    logger.addHandler(log);
  }

  @AfterEach
  void nothingStaysOpen() throws Exception {
    logger.removeHandler(log);
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private void roundTrip(DirectPreadDirectory directory, String prefix) throws IOException {
    for (int i = 0; i < 3; i++) {
      try (IndexOutput output = directory.createOutput(prefix + i, Fixtures.MERGE)) {
        output.writeBytes(data, LENGTH);
      }
      assertArrayEquals(data, Files.readAllBytes(directory.getDirectory().resolve(prefix + i)));
      for (IOContext context : Fixtures.CONTEXTS) {
        try (IndexInput input = directory.openInput(prefix + i, context)) {
          byte[] read = new byte[LENGTH];
          input.readBytes(read, 0, LENGTH);
          assertArrayEquals(data, read);
        }
      }
    }
    directory.sync(List.of(prefix + 0));
  }

  private void checkFellBack(String reason) throws IOException {
    PreadConfig config = PreadConfig.builder().directWriteMinSize(0).build();
    try (BlockCache cache = Fixtures.tinyCache(8, 12)) {
      for (BlockCache with : List.of(cache, Fixtures.NO_CACHE)) {
        log.records.clear();
        try (DirectPreadDirectory directory = Fixtures.direct(folder, config, with, backend)) {
          assertFalse(directory.fellBack());
          roundTrip(directory, "f" + with.size() + "_");
          assertTrue(directory.fellBack());
          assertTrue(directory.toString().contains("fell back"), directory.toString());
        }
        assertEquals(1, log.records.size(), "once per directory");
        assertEquals(Level.WARNING, log.records.get(0).getLevel());
        String message = log.records.get(0).getMessage();
        assertTrue(message.contains(folder.toString()), message);
        assertTrue(message.contains(reason), message);
      }
    }
  }

  @Test
  void aFileSystemThatRefuses() throws Exception {
    // Each direct open, of which there is one before each that is not.
    faults.simulateDirect(512);
    faults.on(Function.DIRECT_ALIGNMENT).always().answer(0);
    checkFellBack("statx answered");
    assertEquals(
        2,
        faults.calls(Function.OPEN).stream()
            .filter(c -> c.argument() == OpenMode.CREATE_DIRECT)
            .count(),
        "not tried again by either directory");
  }

  @Test
  void anOpenThatIsRefused() throws Exception {
    PreadConfig config = PreadConfig.builder().directWriteMinSize(0).build();
    Files.write(folder.resolve("there"), data);
    faults.on(Function.OPEN).at(1).fail(Errno.EINVAL);
    faults.on(Function.OPEN).at(3).fail(Errno.EINVAL);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, config, Fixtures.NO_CACHE, backend)) {
      try (IndexInput input = directory.openInput("there", IOContext.DEFAULT)) {
        byte[] read = new byte[LENGTH];
        input.readBytes(read, 0, LENGTH);
        assertArrayEquals(data, read);
      }
      assertTrue(directory.fellBack());
      try (IndexOutput output = directory.createOutput("new", Fixtures.MERGE)) {
        output.writeBytes(data, LENGTH);
      }
      assertArrayEquals(data, Files.readAllBytes(folder.resolve("new")));
    }
    assertEquals(
        List.of(OpenMode.READ_DIRECT, OpenMode.READ, OpenMode.CREATE_DIRECT, OpenMode.CREATE),
        faults.calls(Function.OPEN).stream().map(Call::argument).toList());
    assertEquals(1, log.records.size());
  }

  @Test
  void aDeviceThatWantsLargerBlocks() throws Exception {
    faults.simulateDirect(8192);
    PreadConfig config = PreadConfig.builder().directWriteMinSize(0).build();
    try (BlockCache cache = Fixtures.tinyCache(8, 12);
        DirectPreadDirectory directory = Fixtures.direct(folder, config, cache, backend)) {
      roundTrip(directory, "small");
      assertTrue(directory.fellBack());
    }
    assertEquals(1, log.records.size());
    String message = log.records.get(0).getMessage();
    assertTrue(message.contains("blocks of 8192 bytes"), message);
    assertTrue(message.contains("is 4096: " + folder), message);
    log.records.clear();
    try (BlockCache cache = Fixtures.tinyCache(8, 13);
        DirectPreadDirectory directory = Fixtures.direct(folder, config, cache, backend)) {
      roundTrip(directory, "fits");
      assertFalse(directory.fellBack());
    }
    assertEquals(List.of(), log.records);
    for (int alignment : new int[] {32 << 10, 64 << 10, 1 << 20}) {
      faults.simulateDirect(alignment);
      try (DirectPreadDirectory directory =
          Fixtures.direct(folder, config, Fixtures.NO_CACHE, backend)) {
        roundTrip(directory, "larger" + alignment);
        assertTrue(directory.fellBack());
      }
    }
    assertEquals(3, log.records.size());
  }

  @Test
  void smallWritesAreNoFallback() throws Exception {
    faults.simulateDirect(512);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend)) {
      for (IOContext context : List.of(IOContext.DEFAULT, Fixtures.MERGE, Fixtures.FLUSH)) {
        try (IndexOutput output = directory.createOutput("f" + context.context(), context)) {
          output.writeInt(1);
        }
      }
      assertFalse(directory.fellBack());
    }
    assertTrue(faults.calls(Function.OPEN).stream().allMatch(c -> c.argument() == OpenMode.CREATE));
    assertEquals(List.of(), log.records);
  }
}
