/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Files that are not there, not whole, not ours or no files: one clear error each. */
class BadInputTest extends BackendTestCase {

  private static final Charset LOCALE = Charset.forName(System.getProperty("sun.jnu.encoding"));

  private PreadDirectory directory;

  @BeforeEach
  void open() throws Exception {
    directory = Fixtures.directory(folder, backend);
  }

  @AfterEach
  void close() throws Exception {
    directory.close();
  }

  private IndexInput openInput(String name) throws IOException {
    return directory.openInput(name, IOContext.DEFAULT);
  }

  private IndexOutput createOutput(String name) throws IOException {
    return directory.createOutput(name, IOContext.DEFAULT);
  }

  /**
   * Returns the exception of {@code way}: its type, the file it names, and words of its message.
   */
  private <T extends IOException> T assertFails(
      Class<T> type, String name, Executable way, String... words) {
    T e = assertThrows(type, way);
    assertEquals(type, e.getClass());
    String path = folder.resolve(name).toString();
    assertTrue(e.getMessage().contains(path), e.getMessage());
    for (String word : words) {
      assertTrue(e.getMessage().contains(word), e.getMessage());
    }
    return e;
  }

  @Test
  void missingFile() {
    assertFails(
        NoSuchFileException.class,
        "missing",
        () -> openInput("missing"),
        "open(READ)",
        "ENOENT (2): No such file or directory");
    assertFails(
        NoSuchFileException.class,
        "missing",
        () -> LuceneCalls.openChecksumInput(directory, "missing"));
  }

  @Test
  void danglingLinkAndVanishedFolder() throws Exception {
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
    assertFails(NoSuchFileException.class, "link", () -> openInput("link"));
    assertFails(
        NoSuchFileException.class, "sub/f", () -> createOutput("sub/f"), "open(CREATE)", "ENOENT");
  }

  @Test
  void syncOfAMissingFileCreatesNothing() throws Exception {
    assertFails(
        NoSuchFileException.class,
        "missing",
        () -> directory.sync(List.of("missing")),
        "open(WRITE)",
        "ENOENT");
    assertEquals(0, directory.listAll().length);
  }

  @Test
  void existingFile() throws Exception {
    Files.write(folder.resolve("f"), new byte[] {1, 2, 3});
    assertFails(
        FileAlreadyExistsException.class,
        "f",
        () -> createOutput("f"),
        "open(CREATE)",
        "EEXIST (17): File exists");
    assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(folder.resolve("f")));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
    assertFails(FileAlreadyExistsException.class, "link", () -> createOutput("link"));
    assertTrue(Files.notExists(folder.resolve("nowhere")), "O_EXCL follows no link");
  }

  /** It would be deleted as soon as that can be done. */
  @Test
  void fileWhoseDeletionHasFailed() throws Exception {
    Files.createDirectories(folder.resolve("f/child"));
    directory.deleteFile("f");
    assertEquals(Set.of("f"), directory.getPendingDeletions());
    assertFails(
        FileAlreadyExistsException.class,
        "f",
        () -> createOutput("f"),
        "its deletion has failed and will be tried again");
    Files.delete(folder.resolve("f/child"));
    createOutput("f").close();
    assertTrue(Files.isRegularFile(folder.resolve("f")));
  }

  /** Root may read everything, so where the kernel would let us the refusal comes by script. */
  @Test
  void unreadableFile() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[] {1});
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---------"));
    if (Files.isReadable(path)) {
      faults.on(Function.OPEN).always().fail(Errno.EACCES);
    }
    assertFails(
        AccessDeniedException.class,
        "f",
        () -> openInput("f"),
        "open(READ)",
        "EACCES (13): Permission denied",
        "check the owner and the permissions");
    assertFails(
        AccessDeniedException.class, "f", () -> directory.sync(List.of("f")), "open(WRITE)");
  }

  @Test
  void folderInsteadOfAFile() throws Exception {
    Files.createDirectory(folder.resolve("d"));
    assertFails(
        FileSystemException.class,
        "d",
        () -> openInput("d"),
        "open(READ) failed with EISDIR (21): Is a directory",
        "check the name");
    assertFails(FileSystemException.class, "", () -> openInput(""), "EISDIR (21)");
    assertFails(FileAlreadyExistsException.class, "d", () -> createOutput("d"));
    assertFails(
        FileSystemException.class,
        "d",
        () -> directory.sync(List.of("d")),
        "open(WRITE) failed with EISDIR (21): Is a directory",
        "check the name");
  }

  @Test
  void tooManyOpenFiles() throws Exception {
    Files.write(folder.resolve("f"), new byte[] {1});
    faults.on(Function.OPEN).at(1).fail(Errno.EMFILE);
    faults.on(Function.OPEN).at(2).fail(Errno.ENFILE);
    faults.on(Function.OPEN).at(3).fail(Errno.EMFILE);
    assertFails(
        FileSystemException.class, "f", () -> openInput("f"), "EMFILE", "ulimit -n", "LimitNOFILE");
    assertFails(
        FileSystemException.class, "f", () -> openInput("f"), "ENFILE", "raise fs.file-max");
    assertFails(FileSystemException.class, "g", () -> createOutput("g"), "EMFILE", "ulimit -n");
    try (IndexInput input = openInput("f")) {
      assertEquals(1, input.readByte());
    }
  }

  @Test
  void fullDisk() throws Exception {
    faults.on(Function.PWRITE).always().fail(Errno.ENOSPC);
    IndexOutput output = createOutput("f");
    output.writeLong(1);
    assertFails(
        FileSystemException.class,
        "f",
        output::close,
        "pwrite(position=0, length=8)",
        "ENOSPC (28): No space left on device",
        "free space on the file system");
  }

  @Test
  void fileTruncatedWhileOpen() throws Exception {
    int length = 100_000;
    byte[] data = Fixtures.randomBytes(1, length);
    Path path = Files.write(folder.resolve("f"), data);
    try (IndexInput input = openInput("f")) {
      input.readByte();
      IndexInput clone = input.clone();
      int left = 50_000;
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        channel.truncate(left);
      }
      assertEquals(length, clone.length(), "as when it was opened");
      for (int at = left; at < length; at += 997) {
        int position = at;
        clone.seek(position);
        Executable[] reads = {
          clone::readByte,
          () -> clone.readBytes(new byte[10], 0, 2),
          () -> clone.readBytes(new byte[length], 0, length - position),
          () -> clone.readLongs(new long[10], 0, 1),
          () -> ((org.apache.lucene.store.RandomAccessInput) clone).readByte(position),
        };
        for (Executable read : reads) {
          EOFException e = assertFails(EOFException.class, "f", read, "truncated", "pread");
          assertTrue(e.getMessage().contains(length + " bytes"), e.getMessage());
        }
        assertEquals(position, clone.getFilePointer());
      }
      byte[] bytes = new byte[1000];
      clone.seek(left - 20_000);
      clone.readBytes(bytes, 0, 1000);
      assertArrayEquals(java.util.Arrays.copyOfRange(data, left - 20_000, left - 19_000), bytes);
    }
  }

  @Test
  void fileThatGrowsWhileOpenKeepsItsLength() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[] {1, 2, 3});
    try (IndexInput input = openInput("f")) {
      Files.write(path, new byte[5000], StandardOpenOption.APPEND);
      assertEquals(3, input.length());
      input.seek(2);
      assertEquals(3, input.readByte());
      assertThrows(EOFException.class, input::readByte);
      assertThrows(EOFException.class, () -> input.seek(4));
    }
  }

  @Test
  void closedDirectory() throws Exception {
    Files.write(folder.resolve("f"), new byte[] {1});
    directory.close();
    Executable[] uses = {
      () -> openInput("f"),
      () -> openInput("missing"),
      () -> LuceneCalls.openChecksumInput(directory, "f"),
      () -> createOutput("g"),
      () -> directory.createTempOutput("g", "t", IOContext.DEFAULT),
      () -> directory.sync(List.of("f")),
      () -> directory.syncMetaData(),
      () -> directory.fileLength("f"),
      () -> directory.listAll(),
    };
    for (Executable use : uses) {
      assertThrows(AlreadyClosedException.class, use);
    }
    assertEquals(0, faults.count(), "nothing reaches the kernel");
    assertTrue(Files.notExists(folder.resolve("g")));
  }

  @Test
  void fileNamesOfAnyAlphabet() throws Exception {
    for (String name : List.of("größe.bin", "日本語", "имя файла", "a😀b", "with space\n", "%41")) {
      if (!LOCALE.newEncoder().canEncode(name)) {
        // A JVM in a locale without such letters: the JDK refuses, and so do we.
        assertThrows(InvalidPathException.class, () -> createOutput(name));
        continue;
      }
      try (IndexOutput output = createOutput(name)) {
        output.writeString(name);
      }
      directory.sync(List.of(name));
      assertEquals(List.of(name), List.of(directory.listAll()));
      try (IndexInput input = openInput(name)) {
        assertEquals(name, input.readString());
        assertTrue(input.toString().contains(name), input.toString());
      }
      directory.deleteFile(name);
      assertFails(NoSuchFileException.class, name, () -> openInput(name));
    }
  }

  @Test
  void veryLongFileNames() throws Exception {
    String longest = "x".repeat(255);
    try (IndexOutput output = createOutput(longest)) {
      output.writeByte((byte) 7);
    }
    try (IndexInput input = openInput(longest)) {
      assertEquals(7, input.readByte());
    }
    String tooLong = longest + "x";
    String words = "ENAMETOOLONG (36): File name too long";
    assertFails(FileSystemException.class, tooLong, () -> openInput(tooLong), words);
    assertFails(FileSystemException.class, tooLong, () -> createOutput(tooLong), words);
    String tooDeep = "y/".repeat(2500) + "f";
    assertFails(FileSystemException.class, tooDeep, () -> openInput(tooDeep), words);
  }

  /** Legal on Linux; but no Java string can name its files, which is what the JDK's files take. */
  @Test
  void aFolderWhoseNameTheLocaleCannotDecodeIsThatFolderOrIsRefused() throws Exception {
    Path odd = Path.of(java.net.URI.create(folder.toUri() + "index-%FF%FE"));
    Files.createDirectory(odd);
    Files.write(odd.resolve("old"), new byte[] {1});
    Backend own = new Backend(Fixtures.backend().calls());
    try (PreadDirectory inside = Fixtures.directory(odd, own)) {
      if (inside.backendName().equals("channel")) {
        assertRefused(() -> inside.openInput("old", IOContext.DEFAULT));
        assertRefused(() -> inside.createOutput("new", IOContext.DEFAULT));
        assertEquals(List.of("old"), List.of(inside.listAll()));
      } else {
        try (IndexInput input = inside.openInput("old", IOContext.DEFAULT)) {
          assertEquals(1, input.readByte());
        }
        inside.createOutput("new", IOContext.DEFAULT).close();
        assertEquals(List.of("new", "old"), List.of(inside.listAll()));
      }
    }
    assertEquals(1, directory.listAll().length, "nothing anywhere else");
    assertEquals(0, own.openFiles());
  }

  private static void assertRefused(Executable call) {
    FileSystemException e = assertThrows(FileSystemException.class, call);
    assertTrue(e.getMessage().contains("charset"), e.getMessage());
  }
}
