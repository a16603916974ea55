/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An output whose writes have failed never passes its file off as whole. */
class OutputFaultTest extends BackendTestCase {

  private static final int BUFFER = 4096;

  private PreadDirectory directory;
  private int files;

  @BeforeEach
  void open() throws Exception {
    PreadConfig config = Fixtures.writeBuffer(PreadConfig.builder(), BUFFER).build();
    directory = Fixtures.directory(folder, config, backend);
  }

  @AfterEach
  void close() throws Exception {
    directory.close();
  }

  private interface Use {
    void of(IndexOutput output) throws IOException;
  }

  private static Map<String, Use> writes() {
    Map<String, Use> writes = new LinkedHashMap<>();
    writes.put("writeByte", o -> o.writeByte((byte) 1));
    writes.put("writeShort", o -> o.writeShort((short) 1));
    writes.put("writeInt", o -> o.writeInt(1));
    writes.put("writeLong", o -> o.writeLong(1));
    writes.put("writeVInt", o -> o.writeVInt(1));
    writes.put("writeString", o -> o.writeString("s"));
    writes.put("writeBytes, few", o -> o.writeBytes(new byte[3], 3));
    writes.put("writeBytes, many", o -> o.writeBytes(new byte[3 * BUFFER], 3 * BUFFER));
    return writes;
  }

  /**
   * Returns the ways in which a write can fail: while the buffer is emptied for the next byte, or
   * going past it.
   */
  private static Map<String, Use> failures() {
    Map<String, Use> failures = new LinkedHashMap<>();
    failures.put(
        "single bytes",
        o -> {
          for (int i = 0; i <= BUFFER; i++) {
            o.writeByte((byte) i);
          }
        });
    failures.put(
        "longs",
        o -> {
          o.writeByte((byte) 0);
          for (int i = 0; i <= BUFFER; i += Long.BYTES) {
            o.writeLong(i);
          }
        });
    failures.put(
        "bytes through the buffer",
        o -> {
          o.writeByte((byte) 0);
          o.writeBytes(new byte[BUFFER], BUFFER);
        });
    failures.put("bytes past the buffer", o -> o.writeBytes(new byte[2 * BUFFER], 2 * BUFFER));
    return failures;
  }

  private IndexOutput failed(Use failure, int errno) throws IOException {
    IndexOutput output = directory.createOutput("f" + files++, IOContext.DEFAULT);
    faults.calm();
    faults.on(Function.PWRITE).always().fail(errno);
    IOException first = assertThrows(FileSystemException.class, () -> failure.of(output));
    assertTrue(first.getMessage().contains("pwrite(position=0"), first.getMessage());
    assertTrue(first.getMessage().contains(Errno.describe(errno)), first.getMessage());
    assertTrue(first.getMessage().contains("f" + (files - 1)), first.getMessage());
    // The disk is fine again, which must not help this file.
    faults.calm();
    return output;
  }

  private static void assertRefused(IndexOutput output, Use use, String text) {
    IOException e = assertThrows(IOException.class, () -> use.of(output), text);
    assertTrue(e.getMessage().contains("failed"), text + ": " + e);
    assertTrue(e.getMessage().contains(output.toString()), text + ": " + e);
    assertTrue(e.getCause().getMessage().contains("pwrite("), text + ": " + e.getCause());
  }

  @Test
  void afterAFailedWriteEveryWriteTheChecksumAndTheFirstCloseThrow() throws Exception {
    int[] errnos = {Errno.ENOSPC, Errno.EIO, Errno.EDQUOT};
    int n = 0;
    for (Map.Entry<String, Use> failure : failures().entrySet()) {
      for (Map.Entry<String, Use> write : writes().entrySet()) {
        IndexOutput output = failed(failure.getValue(), errnos[n++ % errnos.length]);
        String text = write.getKey() + " after failed " + failure.getKey();
        long calls = faults.count(Function.PWRITE);
        assertRefused(output, IndexOutput::getChecksum, "getChecksum, " + text);
        assertRefused(output, write.getValue(), text);
        assertRefused(output, write.getValue(), text + ", again");
        assertRefused(output, IndexOutput::getChecksum, "getChecksum, " + text);
        assertRefused(output, IndexOutput::close, "close, " + text);
        assertEquals(0, backend.openFiles(), "closed although close threw");
        output.close();
        output.close();
        assertThrows(AlreadyClosedException.class, output::getChecksum, text);
        assertThrows(AlreadyClosedException.class, () -> write.getValue().of(output), text);
        assertEquals(calls, faults.count(Function.PWRITE), "nothing more is written");
      }
    }
  }

  @Test
  void theFirstFailureIsTheCause() throws Exception {
    IndexOutput output = failed(failures().get("single bytes"), Errno.ENOSPC);
    IOException first = assertThrows(IOException.class, output::getChecksum);
    IOException second = assertThrows(IOException.class, output::close);
    for (IOException e : List.of(first, second)) {
      FileSystemException cause = assertInstanceOf(FileSystemException.class, e.getCause());
      assertEquals(folder.resolve("f0").toString(), cause.getFile());
      Fixtures.assertNames(e.getCause(), "pwrite", "ENOSPC");
      StackTraceElement[] whereItFailed = e.getCause().getStackTrace();
      assertTrue(
          Arrays.stream(whereItFailed).anyMatch(frame -> frame.getMethodName().equals("write")),
          Arrays.toString(whereItFailed));
    }
  }

  /** What a server sends on or writes as JSON goes through causes and what is suppressed. */
  @ParameterizedTest
  @ValueSource(ints = {Errno.ENOSPC, Errno.EPERM})
  void aFailureThatIsClosedAfterIsNotItsOwnCause(int errno) {
    faults.on(Function.PWRITE).always().fail(errno);
    IOException e =
        assertThrows(
            IOException.class,
            () -> {
              try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
                output.writeBytes(new byte[2 * BUFFER], 2 * BUFFER);
              }
            });
    Fixtures.assertNames(e.getSuppressed()[0], "an earlier write failed");
    Fixtures.assertNames(e.getSuppressed()[0].getCause(), Errno.describe(errno));
    assertEquals(e.getClass(), e.getSuppressed()[0].getCause().getClass());
    assertEquals(0, e.getSuppressed()[0].getCause().getSuppressed().length);
    assertNotSame(e, e.getSuppressed()[0].getCause());
  }

  @Test
  void closeTellsOfAFailingLastWriteAndClosesAllTheSame() throws Exception {
    IndexOutput output = directory.createOutput("f", IOContext.DEFAULT);
    output.writeInt(1);
    assertEquals(0, faults.count(Function.PWRITE));
    faults.on(Function.PWRITE).always().fail(Errno.ENOSPC);
    faults.on(Function.CLOSE).always().fail(Errno.EIO);
    IOException e = assertThrows(IOException.class, output::close);
    Fixtures.assertNames(e, "pwrite", "position=0", "length=4");
    Fixtures.assertNames(e.getSuppressed()[0], "close", "EIO");
    assertEquals(0, backend.openFiles());
    output.close();
    assertEquals(1, faults.count(Function.CLOSE));
  }

  @Test
  void closeTellsOfAFailingClose() throws Exception {
    IndexOutput output = directory.createOutput("f", IOContext.DEFAULT);
    output.writeInt(1);
    faults.on(Function.CLOSE).always().fail(Errno.EIO);
    IOException e = assertThrows(IOException.class, output::close);
    Fixtures.assertNames(e, "close", "EIO");
    assertTrue(e.getMessage().contains(folder.resolve("f").toString()), e.getMessage());
    output.close();
    assertEquals(1, faults.count(Function.CLOSE));
  }

  @Test
  void aClosedOutputTakesNothing() throws Exception {
    IndexOutput output = directory.createOutput("f", IOContext.DEFAULT);
    output.writeInt(1);
    output.close();
    output.close();
    for (Map.Entry<String, Use> write : writes().entrySet()) {
      AlreadyClosedException e =
          assertThrows(
              AlreadyClosedException.class, () -> write.getValue().of(output), write.getKey());
      assertTrue(e.getMessage().contains(output.toString()), e.getMessage());
    }
    assertThrows(AlreadyClosedException.class, output::getChecksum);
    assertEquals(4, directory.fileLength("f"));
  }

  @Test
  void badRangesAreRefusedAndChangeNothing() throws Exception {
    try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
      byte[] bytes = new byte[10];
      assertThrows(IndexOutOfBoundsException.class, () -> output.writeBytes(bytes, 5, 6));
      assertThrows(IndexOutOfBoundsException.class, () -> output.writeBytes(bytes, -1, 2));
      assertThrows(IndexOutOfBoundsException.class, () -> output.writeBytes(bytes, 0, -1));
      assertThrows(
          IndexOutOfBoundsException.class, () -> output.writeBytes(bytes, Integer.MAX_VALUE, 1));
      assertEquals(0, output.getFilePointer());
      output.writeBytes(bytes, 10, 0);
      output.writeBytes(bytes, 0, 10);
      assertEquals(10, output.getFilePointer());
    }
    assertEquals(10, directory.fileLength("f"));
  }

  /** Memory for the transfer can run out, too; that is no write, but the bytes are lost as well. */
  @Test
  void anErrorOnTheWayToTheKernelIsRememberedToo() throws Exception {
    IndexOutput output = directory.createOutput("f", IOContext.DEFAULT);
    faults
        .on(Function.PWRITE)
        .at(1)
        .first(
            () -> {
              throw new OutOfMemoryError("by script");
            });
    Error error =
        assertThrows(
            OutOfMemoryError.class, () -> output.writeBytes(new byte[2 * BUFFER], 0, 8192));
    // Servers look for one among the causes, to end the process.
    assertSame(error, assertThrows(IOException.class, output::getChecksum).getCause());
    assertSame(error, assertThrows(IOException.class, output::close).getCause());
    assertEquals(0, backend.openFiles());
  }

  /** Who is told of complete files searches them, for example. */
  @Test
  void aFileIsCalledCompleteOnlyIfItIs() throws Exception {
    for (Function failing : new Function[] {Function.PWRITE, Function.CLOSE, null}) {
      List<Long> completed = new ArrayList<>();
      PosixFile file = backend.open(folder.resolve("f" + failing), OpenMode.CREATE);
      PreadIndexOutput output =
          new PreadIndexOutput(
              new OutputFile(backend, file, () -> false),
              "f",
              BUFFER,
              (name, length) -> completed.add(length));
      output.writeBytes(new byte[100], 100);
      faults.forget();
      if (failing == null) {
        output.close();
      } else {
        faults.on(failing).at(1).fail(Errno.EIO);
        assertThrows(IOException.class, output::close, "" + failing);
      }
      faults.calm();
      output.close();
      assertEquals(failing == null ? List.of(100L) : List.of(), completed, "" + failing);
    }
  }
}
