/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Errno} and {@link PosixExceptions}: numbers to texts and exceptions. */
class ErrnoTest {

  private static final Path PATH = Path.of("folder", "_0.cfs");

  @Test
  void everyConstantHasANameAndAText() throws Exception {
    Map<String, Integer> constants = new TreeMap<>();
    for (var field : Errno.class.getFields()) {
      assertTrue(Modifier.isFinal(field.getModifiers()));
      constants.put(field.getName(), field.getInt(null));
    }
    assertEquals(constants, new TreeMap<>(Errno.byName()));
    assertTrue(constants.size() > 20, constants.toString());
    assertEquals(constants.size(), constants.values().stream().distinct().count());
  }

  @Test
  void aDescriptionHasNameNumberAndMeaning() {
    assertEquals("ENOSPC (28): No space left on device", Errno.describe(Errno.ENOSPC));
    assertEquals("EIO (5): Input/output error", Errno.describe(Errno.EIO));
    assertEquals("errno 9999", Errno.describe(9999));
  }

  @Test
  void findsTheNumberInTheMessagesOfTheJdk() {
    for (int errno : Errno.byName().values()) {
      String described = Errno.describe(errno);
      String text = described.substring(described.indexOf(':') + 2);
      assertEquals(errno, Errno.fromMessage("/a/b (" + text + ")"), text);
    }
    assertEquals(Errno.ENFILE, Errno.fromMessage("f: Too many open files in system"));
    assertEquals(Errno.EMFILE, Errno.fromMessage("f: Too many open files"));
    assertEquals(0, Errno.fromMessage("something else"));
  }

  @Test
  void becomesTheExceptionThatJavaWouldThrow() {
    Map<Integer, Class<? extends IOException>> types =
        Map.of(
            Errno.ENOENT, NoSuchFileException.class,
            Errno.EEXIST, FileAlreadyExistsException.class,
            Errno.EACCES, AccessDeniedException.class,
            Errno.EPERM, AccessDeniedException.class);
    for (int errno : Errno.byName().values()) {
      IOException e = PosixExceptions.of(-errno, "pread(position=1, length=2)", PATH);
      assertEquals(types.getOrDefault(errno, FileSystemException.class), e.getClass());
      FileSystemException f = assertInstanceOf(FileSystemException.class, e);
      assertEquals(PATH.toString(), f.getFile());
      Fixtures.assertNames(e, PATH, "pread(position=1, length=2)");
      assertTrue(e.getMessage().contains(Errno.describe(errno)), e.getMessage());
    }
    Fixtures.assertNames(PosixExceptions.of(-9999, "close", PATH), "close", 9999);
  }

  @Test
  void saysTheWayOutWhereThereIsOne() {
    Map<Integer, String> remedies =
        Map.of(
            Errno.EACCES, "permissions",
            Errno.EPERM, "permissions",
            Errno.EMFILE, "ulimit -n",
            Errno.ENFILE, "fs.file-max",
            Errno.ENOSPC, "free space",
            Errno.EDQUOT, "quota",
            Errno.EIO, "CheckIndex",
            Errno.EROFS, "read-only",
            Errno.ESTALE, "reopen");
    remedies.forEach(
        (errno, words) -> {
          String message = PosixExceptions.of(-errno, "pwrite", PATH).getMessage();
          String advice = message.substring(message.lastIndexOf(';') + 1);
          assertTrue(advice.contains(words), message);
        });
  }

  /** What Linux has for the states of a device (block/blk-core.c), and of a damaged file system. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ENODEV",
        "EBADE",
        "ENODATA",
        "ENOLINK",
        "EILSEQ",
        "ETIMEDOUT",
        "EREMOTEIO",
        "EUCLEAN",
        "EBADMSG"
      })
  void whatDirectReadsSayOfADeviceIsExplained(String name) {
    int errno = Errno.byName().get(name);
    Fixtures.assertNames(
        PosixExceptions.of(-errno, "pread", PATH), name, "kernel log", "CheckIndex");
  }

  @Test
  void aResultThatIsNoErrorIsABug() {
    for (long result : Arrays.asList(0L, 1L, 1L << 40)) {
      assertThrows(IllegalArgumentException.class, () -> PosixExceptions.of(result, "pread", PATH));
    }
  }
}
