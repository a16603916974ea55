/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Advice;
import dev.pread.posix.AioStructs;
import dev.pread.posix.Errno;
import dev.pread.posix.MappedMemory.MemoryAdvice;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The numbers of {@link LinuxAbi} and {@link Errno} against the C headers: each becomes a static
 * assertion in a C file that a compiler for that architecture has to accept.
 */
class LinuxAbiTest {

  @TempDir Path folder;

  @Test
  void x86NumbersAreThoseOfTheHeaders() throws Exception {
    checkAgainstHeaders(LinuxAbi.X86_64, "x86_64", "gcc", "x86_64-linux-gnu-gcc");
  }

  @Test
  void armNumbersAreThoseOfTheHeaders() throws Exception {
    checkAgainstHeaders(LinuxAbi.AARCH64, "aarch64", "gcc", "aarch64-linux-gnu-gcc");
  }

  @Test
  void aWrongNumberIsFound() throws Exception {
    String compiler = compilerFor("x86_64", "gcc", "x86_64-linux-gnu-gcc");
    Map<String, Long> wrong = numbers(LinuxAbi.X86_64);
    wrong.put("O_CLOEXEC", 0x40000L);
    wrong.put("O_DIRECT", (long) LinuxAbi.AARCH64.openDirect());
    String complaints = compile(compiler, wrong);
    assertTrue(complaints.contains("O_CLOEXEC"), complaints);
    assertTrue(complaints.contains("O_DIRECT"), complaints);
  }

  @Test
  void unknownPlatformsHaveNoNumbers() {
    assertNull(LinuxAbi.of("Mac OS X", "aarch64"));
    assertNull(LinuxAbi.of("Windows 11", "amd64"));
    assertNull(LinuxAbi.of("Linux", "s390x"));
    assertEquals(LinuxAbi.X86_64, LinuxAbi.of("Linux", "amd64"));
    assertEquals(LinuxAbi.AARCH64, LinuxAbi.of("Linux", "aarch64"));
  }

  private void checkAgainstHeaders(LinuxAbi abi, String machine, String... compilers)
      throws Exception {
    assertEquals("", compile(compilerFor(machine, compilers), numbers(abi)));
  }

  /**
   * Returns a compiler that produces code for {@code machine}; the test is skipped where there is
   * none.
   */
  private static String compilerFor(String machine, String... candidates) throws Exception {
    for (String compiler : candidates) {
      try {
        Process process = new ProcessBuilder(compiler, "-dumpmachine").start();
        String target = read(process.getInputStream());
        if (process.waitFor() == 0 && target.startsWith(machine)) {
          return compiler;
        }
      } catch (IOException e) {
        // This one is not installed, so the next one is tried.
        assertTrue(e.getMessage().contains(compiler), e::toString);
      }
    }
    Assumptions.abort(
        "no C compiler for "
            + machine
            + ": install gcc or gcc-"
            + machine.replace('_', '-')
            + "-linux-gnu to check its constants");
    throw new AssertionError("unreachable");
  }

  /** Returns the compiler's complaints, empty where it accepts all numbers. */
  private String compile(String compiler, Map<String, Long> numbers) throws Exception {
    StringBuilder source =
        new StringBuilder(
            """
            #define _GNU_SOURCE
            #include <assert.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <linux/aio_abi.h>
            #include <stddef.h>
            #include <sys/mman.h>
            #include <sys/stat.h>
            #include <sys/syscall.h>
            #include <sys/uio.h>
            """);
    numbers.forEach(
        (expression, value) -> {
          String check =
              String.format(
                  Locale.ROOT,
                  "static_assert((%s) == %d, \"%s\");\n",
                  expression,
                  value,
                  expression);
          // Headers before Linux 6.1, or 5.14, don't have these.
          String recent =
              expression.contains("DIOALIGN") || expression.contains("stx_dio")
                  ? "STATX_DIOALIGN"
                  : expression.equals("MADV_POPULATE_WRITE") ? expression : "__linux__";
          source.append("#ifdef ").append(recent).append("\n").append(check).append("#endif\n");
        });
    Path file = folder.resolve("numbers.c");
    Files.writeString(file, source);
    Process process =
        new ProcessBuilder(compiler, "-std=c11", "-fsyntax-only", file.toString())
            .redirectErrorStream(true)
            .start();
    String output = read(process.getInputStream());
    assertEquals(output.isEmpty() ? 0 : 1, process.waitFor(), output);
    return output;
  }

  private static Map<String, Long> numbers(LinuxAbi abi) throws IllegalAccessException {
    Map<String, Long> numbers = new TreeMap<>();
    numbers.put("O_CREAT", (long) abi.openCreate());
    numbers.put("O_EXCL", (long) abi.openExclusive());
    numbers.put("O_CLOEXEC", (long) abi.openCloseOnExec());
    numbers.put("O_DIRECT", (long) abi.openDirect());
    numbers.put("O_RDONLY", (long) LinuxAbi.O_RDONLY);
    numbers.put("O_WRONLY", (long) LinuxAbi.O_WRONLY);
    numbers.put("sizeof(struct stat)", (long) abi.statSize());
    numbers.put("offsetof(struct stat, st_mode)", (long) abi.statMode());
    numbers.put("sizeof(((struct stat *)0)->st_mode)", (long) Integer.BYTES);
    numbers.put("offsetof(struct stat, st_dev)", (long) LinuxAbi.STAT_DEVICE);
    numbers.put("sizeof(((struct stat *)0)->st_dev)", (long) Long.BYTES);
    numbers.put("offsetof(struct stat, st_ino)", (long) LinuxAbi.STAT_INODE);
    numbers.put("sizeof(((struct stat *)0)->st_ino)", (long) Long.BYTES);
    numbers.put("offsetof(struct stat, st_size)", (long) LinuxAbi.STAT_FILE_SIZE);
    numbers.put("sizeof(((struct stat *)0)->st_size)", (long) Long.BYTES);
    numbers.put("offsetof(struct stat, st_mtim)", (long) LinuxAbi.STAT_MODIFIED);
    numbers.put("offsetof(struct stat, st_ctim)", (long) LinuxAbi.STAT_CHANGED);
    numbers.put("offsetof(struct timespec, tv_sec)", 0L);
    numbers.put("sizeof(((struct timespec *)0)->tv_sec)", (long) Long.BYTES);
    numbers.put("offsetof(struct timespec, tv_nsec)", (long) LinuxAbi.TIMESPEC_NANOS);
    numbers.put("sizeof(((struct timespec *)0)->tv_nsec)", (long) Long.BYTES);
    numbers.put("S_IFMT", (long) LinuxAbi.S_IFMT);
    numbers.put("S_IFDIR", (long) LinuxAbi.S_IFDIR);
    numbers.put("S_IFREG", (long) LinuxAbi.S_IFREG);
    numbers.put("RWF_NOWAIT", (long) LinuxAbi.RWF_NOWAIT);
    numbers.put("POSIX_FADV_NORMAL", (long) Advice.NORMAL.number());
    numbers.put("POSIX_FADV_RANDOM", (long) Advice.RANDOM.number());
    numbers.put("POSIX_FADV_SEQUENTIAL", (long) Advice.SEQUENTIAL.number());
    numbers.put("POSIX_FADV_WILLNEED", (long) Advice.WILLNEED.number());
    numbers.put("POSIX_FADV_DONTNEED", (long) Advice.DONTNEED.number());
    numbers.put("sizeof(struct iovec)", (long) LinuxAbi.IOVEC_SIZE);
    numbers.put("offsetof(struct iovec, iov_base)", 0L);
    numbers.put("offsetof(struct iovec, iov_len)", (long) LinuxAbi.IOVEC_LENGTH);
    numbers.put("PROT_READ", (long) LinuxAbi.PROT_READ);
    numbers.put("PROT_WRITE", (long) LinuxAbi.PROT_WRITE);
    numbers.put("MAP_PRIVATE", (long) LinuxAbi.MAP_PRIVATE);
    numbers.put("MAP_ANONYMOUS", (long) LinuxAbi.MAP_ANONYMOUS);
    numbers.put("MAP_NORESERVE", (long) LinuxAbi.MAP_NORESERVE);
    numbers.put("(long) MAP_FAILED", LinuxAbi.MAP_FAILED);
    numbers.put("MADV_DONTNEED", (long) MemoryAdvice.DISCARD.number());
    numbers.put("MADV_DONTFORK", (long) MemoryAdvice.NOT_INHERITED.number());
    numbers.put("MADV_HUGEPAGE", (long) MemoryAdvice.HUGE_PAGES.number());
    numbers.put("MADV_NOHUGEPAGE", (long) MemoryAdvice.NO_HUGE_PAGES.number());
    numbers.put("MADV_POPULATE_WRITE", (long) MemoryAdvice.POPULATE.number());
    numbers.put("AT_EMPTY_PATH", (long) LinuxAbi.AT_EMPTY_PATH);
    numbers.put("STATX_DIOALIGN", (long) LinuxAbi.STATX_DIOALIGN);
    numbers.put("sizeof(struct statx)", (long) LinuxAbi.STATX_SIZE);
    numbers.put("offsetof(struct statx, stx_mask)", (long) LinuxAbi.STATX_MASK);
    numbers.put("sizeof(((struct statx *)0)->stx_mask)", (long) Integer.BYTES);
    numbers.put("offsetof(struct statx, stx_dio_mem_align)", (long) LinuxAbi.STATX_DIRECT_MEMORY);
    numbers.put(
        "offsetof(struct statx, stx_dio_offset_align)", (long) LinuxAbi.STATX_DIRECT_OFFSET);
    numbers.put("SYS_io_setup", abi.asynchronous().setup());
    numbers.put("SYS_io_destroy", abi.asynchronous().destroy());
    numbers.put("SYS_io_getevents", abi.asynchronous().getEvents());
    numbers.put("SYS_io_submit", abi.asynchronous().submit());
    AioStructs.putNumbers(numbers);
    // pread, off_t and size_t are passed as 64-bit numbers.
    numbers.put("sizeof(off_t)", (long) Long.BYTES);
    numbers.put("sizeof(size_t)", (long) Long.BYTES);
    for (Field field : Errno.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
        numbers.put(field.getName(), (long) field.getInt(null));
      }
    }
    assertTrue(numbers.containsKey("ENOSPC"), "the errno values are among them: " + numbers);
    return numbers;
  }

  private static String read(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }
}
