/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What fails between {@code open(2)} and a usable input closes the descriptor again. */
class OpenFaultTest extends BackendTestCase {

  private final byte[] data = Fixtures.randomBytes(1, 1 << 20);
  private PreadDirectory directory;
  private List<Executable> ways;

  @BeforeEach
  void open() throws Exception {
    Files.write(folder.resolve("f"), data);
    directory = Fixtures.directory(folder, backend);
    ways =
        List.of(
            () -> directory.openInput("f", IOContext.DEFAULT),
            () -> directory.openInput("f", IOContext.READONCE),
            () -> LuceneCalls.openChecksumInput(directory, "f"),
            () -> directory.createOutput("new", IOContext.DEFAULT),
            () -> directory.createTempOutput("new", "t", IOContext.DEFAULT),
            () -> directory.sync(List.of("f")));
  }

  @AfterEach
  void close() throws Exception {
    directory.close();
    assertEquals(
        faults.calls(Function.OPEN).stream().filter(c -> c.result() >= 0).count(),
        faults.count(Function.CLOSE));
  }

  private void eachFails(Class<? extends Throwable> type, String words) throws Exception {
    for (Executable way : ways) {
      faults.forget();
      Throwable e = assertThrows(type, way);
      assertTrue(e.getMessage().contains(words), e.getMessage());
      assertEquals(1, faults.count(Function.OPEN));
      assertEquals(1, faults.count(Function.CLOSE), "opened and not closed");
      assertEquals(List.of("f"), List.of(directory.listAll()), "a failed create leaves nothing");
    }
  }

  @Test
  void aFailingFstatClosesTheDescriptor() throws Exception {
    faults.on(Function.FSTAT).always().fail(Errno.EIO);
    eachFails(FileSystemException.class, "fstat failed with EIO");
  }

  @Test
  void anFstatThatTellsNothingClosesTheDescriptor() throws Exception {
    faults.on(Function.FSTAT).always().answer(0);
    eachFails(FileSystemException.class, "not a regular file");
  }

  @Test
  void anFstatThatThrowsClosesTheDescriptor() throws Exception {
    faults
        .on(Function.FSTAT)
        .always()
        .first(
            () -> {
              throw new IllegalStateException("by script");
            });
    eachFails(IllegalStateException.class, "by script");
  }

  @Test
  void whateverFailsWhileAnInputIsMadeClosesTheDescriptor() {
    faults.on(Function.FADVISE).always().first(OpenFaultTest::fail);
    faults.on(Function.PREAD_NO_WAIT).at(1).first(OpenFaultTest::fail);
    faults.on(Function.PREAD_NO_WAIT).always().answer(1);
    for (IOContext context : List.of(Fixtures.RANDOM, IOContext.READONCE, Fixtures.MERGE)) {
      assertThrows(AssertionError.class, () -> directory.openInput("f", context));
      assertEquals(0, backend.openFiles());
    }
    assertEquals(3, faults.count(Function.OPEN));
  }

  @Test
  void whateverFailsWhileAnOutputIsMadeLeavesNoFile() throws Exception {
    assertThrows(NullPointerException.class, () -> directory.createOutput("new", null));
    assertEquals(0, backend.openFiles());
    assertEquals(List.of("f"), List.of(directory.listAll()));
    directory.createOutput("new", IOContext.DEFAULT).close();
  }

  @Test
  void aCloseThatFailsMeanwhileIsSuppressedAndNotTold() {
    faults.on(Function.FADVISE).always().first(OpenFaultTest::fail);
    faults.on(Function.CLOSE).always().fail(Errno.EIO);
    AssertionError e =
        assertThrows(AssertionError.class, () -> directory.openInput("f", Fixtures.RANDOM));
    assertEquals("by script", e.getMessage());
    Fixtures.assertNames(e.getSuppressed()[0], "close", "EIO");
  }

  @Test
  void aCloseThatThrowsMeanwhileHidesNothingAndLeavesNoFile() throws Exception {
    faults.on(Function.FSTAT).always().fail(Errno.EIO);
    faults.on(Function.CLOSE).always().first(OpenFaultTest::fail);
    eachFails(FileSystemException.class, "fstat failed with EIO");
  }

  private static void fail() {
    throw new AssertionError("by script");
  }

  @Test
  void aTempOutputTakesTheNextNameWhereOneIsTaken() throws Exception {
    faults.on(Function.OPEN).at(1).fail(Errno.EEXIST);
    faults.on(Function.OPEN).at(2).fail(Errno.EINTR);
    faults.on(Function.OPEN).at(3).fail(Errno.EEXIST);
    try (IndexOutput output = directory.createTempOutput("p", "s", IOContext.DEFAULT)) {
      assertEquals("p_s_2.tmp", output.getName());
    }
    assertEquals(4, faults.count(Function.OPEN));
    assertEquals(List.of("f", "p_s_2.tmp"), List.of(directory.listAll()));
    Files.createFile(folder.resolve("p_s_3.tmp"));
    try (IndexOutput output = directory.createTempOutput("p", "s", IOContext.DEFAULT)) {
      assertEquals("p_s_4.tmp", output.getName());
    }
    faults.on(Function.OPEN).always().fail(Errno.ENOSPC);
    assertThrows(
        FileSystemException.class, () -> directory.createTempOutput("p", "s", IOContext.DEFAULT));
  }

  /** A read that failed leaves the input as it was: the next attempt reads right. */
  @Test
  void anInputSurvivesAFailingRead() throws Exception {
    try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      IndexInput clone = input.clone();
      faults.on(Function.PREAD).every(2).fail(Errno.EIO);
      for (int i = 0; i < 50; i++) {
        int at = i * 20_011;
        byte[] bytes = new byte[i % 2 == 0 ? 10 : 5000];
        IndexInput used = i % 3 == 0 ? input : clone;
        boolean failed = false;
        while (true) {
          used.seek(at);
          try {
            used.readBytes(bytes, 0, bytes.length);
            break;
          } catch (IOException e) {
            assertFalse(failed, "twice in a row");
            failed = true;
            assertTrue(e.getMessage().contains("EIO"), e.getMessage());
          }
        }
        assertArrayEquals(java.util.Arrays.copyOfRange(data, at, at + bytes.length), bytes);
        assertEquals(at + bytes.length, used.getFilePointer());
      }
    }
  }
}
