/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import org.apache.lucene.tests.mockfile.FilterFileChannel;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK says of a failure reaches the user, although the seam has numbers only. */
class ChannelFailureTest {

  @TempDir Path folder;

  private Path file;

  private final Backend backend = new Backend(new ChannelSystemCalls());

  /** That it is slow has been said, unless somebody has chosen it. No sandbox is to blame. */
  @Test
  void thatItHasNoQueuesIsNotTold() {
    List<String> told =
        Fixtures.logged(Backend.class, () -> assertEquals("threads", backend.readAheadEngine()));
    assertEquals(List.of(), told);
  }

  /** A file system that lets nobody open, or read, as a server's policy may. */
  private static final class Denying extends FilterFileSystemProvider {

    private final IOException atOpen;
    private final IOException atRead;

    Denying(Path folder, IOException atOpen, IOException atRead) {
      super("denying://", folder.getFileSystem());
      this.atOpen = atOpen;
      this.atRead = atRead;
    }

    @Override
    public FileChannel newFileChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      if (atOpen != null) {
        throw atOpen;
      }
      return new FilterFileChannel(super.newFileChannel(path, options, attributes)) {
        @Override
        public int read(ByteBuffer dst, long position) throws IOException {
          throw atRead;
        }
      };
    }
  }

  private Path denied(IOException atOpen, IOException atRead) {
    return new Denying(folder, atOpen, atRead).wrapPath(file);
  }

  @BeforeEach
  void writeFile() throws IOException {
    file = Files.write(folder.resolve("f"), new byte[100]);
  }

  @Test
  void aFailureWithoutErrnoIsToldInTheWordsOfTheJdk() {
    IOException denial = new IOException("component [x] of plugin [y] may not read this");
    Path path = denied(denial, null);
    IOException e =
        assertThrows(FileSystemException.class, () -> backend.open(path, OpenMode.READ));
    assertEquals(
        path + ": open(READ) failed with java.io.IOException: " + denial.getMessage(),
        e.getMessage());
    assertSame(denial, e.getCause());
  }

  @Test
  void aReasonThatSaysMoreThanTheErrnoIsKept() {
    IOException denial = new AccessDeniedException(file.toString(), null, "not in the policy");
    Path path = denied(denial, null);
    IOException e =
        assertThrows(AccessDeniedException.class, () -> backend.open(path, OpenMode.READ));
    assertTrue(e.getMessage().contains("policy"), e.getMessage());
    assertSame(denial, e.getCause());
  }

  @Test
  void aFailedReadIsToldSoToo() throws IOException {
    IOException failure = new IOException("the plug was pulled");
    try (PosixFile open = backend.open(denied(null, failure), OpenMode.READ)) {
      NativeBuffer buffer = backend.scratch().take(10, 1);
      IOException e = assertThrows(IOException.class, () -> open.readFully(0, buffer, 10, 10));
      Fixtures.assertNames(e, "pread", "position=0", "length=10", failure);
      assertSame(failure, e.getCause());
    }
  }

  /** Windows refuses to open a folder, and Lucene syncs the index's with each commit. */
  @Test
  void whereFoldersCanNotBeOpenedNoneIsSynced() throws IOException {
    Denying denying = new Denying(folder, new AccessDeniedException("" + folder), null);
    Path path = denying.wrapPath(folder);
    Backend windows = new Backend(new ChannelSystemCalls("Windows Server 2022"));
    windows.syncFolder(path);
    Path missing = path.resolve("missing");
    IOException e = assertThrows(NoSuchFileException.class, () -> windows.syncFolder(missing));
    Fixtures.assertNames(e, missing, "ENOENT");
    e = assertThrows(FileSystemException.class, () -> windows.open(path, OpenMode.READ));
    Fixtures.assertNames(e, path, "EISDIR");
    Backend linux = new Backend(new ChannelSystemCalls("Linux"));
    e = assertThrows(AccessDeniedException.class, () -> linux.syncFolder(path));
    Fixtures.assertNames(e, path, "fsync");
  }

  @Test
  void anErrnoIsToldAsAnErrnoAndKeepsItsCause() {
    IOException full = new IOException("No space left on device");
    Path path = denied(full, null);
    IOException e =
        assertThrows(FileSystemException.class, () -> backend.open(path, OpenMode.READ));
    assertTrue(e.getMessage().contains(Errno.describe(Errno.ENOSPC)), e.getMessage());
    assertSame(full, e.getCause());
    IOException missing =
        assertThrows(
            NoSuchFileException.class,
            () -> backend.open(folder.resolve("missing"), OpenMode.READ));
    assertTrue(missing.getMessage().contains(Errno.describe(Errno.ENOENT)), missing.getMessage());
  }

  @Test
  void anEarlierFailureIsNotGivenAsTheCauseOfALater() throws Exception {
    ChannelSystemCalls posix = new ChannelSystemCalls();
    assertEquals(-Errno.ENOENT, posix.open(folder.resolve("missing"), OpenMode.READ));
    assertEquals(-Errno.EBADF, posix.fsync(99));
    assertNull(posix.takeFailure());
    assertEquals(-Errno.ENOENT, posix.open(folder.resolve("missing"), OpenMode.READ));
    Fixtures.inThreads(2, thread -> assertNull(posix.takeFailure(), "another thread's"));
    assertTrue(posix.takeFailure() instanceof NoSuchFileException);
    assertNull(posix.takeFailure(), "it is told once");
  }

  @Test
  void aNumberAloneHasNoCause() {
    IOException e = PosixExceptions.of(-Errno.EIO, "pread", file);
    assertNull(e.getCause());
    assertFalse(e.getMessage().contains("Exception"), e.getMessage());
  }
}
