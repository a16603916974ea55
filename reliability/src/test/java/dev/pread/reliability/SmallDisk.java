/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;

/**
 * A small file system of its own: on tmpfs, or ext4 on a loop device, whose image lies on a tmpfs
 * so that the disk below it can fail for want of room. It needs root; the test is skipped without.
 */
final class SmallDisk implements Closeable {

  private final Path memory;
  private final Path image;
  private final Path folder;

  private SmallDisk(Path parent, int mebibytes, boolean ext4) throws IOException {
    Files.createDirectories(parent);
    memory = Files.createTempDirectory(parent, "memory");
    must("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", memory);
    if (!ext4) {
      image = null;
      folder = memory;
      return;
    }
    image = memory.resolve("image");
    folder = Files.createTempDirectory(parent, "ext4");
    try {
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength((long) mebibytes << 20);
      }
      must("mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-E", "lazy_itable_init=0", image);
      must("mount", "-o", "loop", image, folder);
    } catch (Throwable t) {
      run("umount", memory);
      throw t;
    }
  }

  static SmallDisk tmpfs(Path parent, int mebibytes) throws IOException {
    return new SmallDisk(parent, mebibytes, false);
  }

  static SmallDisk ext4(Path parent, int mebibytes) throws IOException {
    return new SmallDisk(parent, mebibytes, true);
  }

  /** Returns where it is mounted. */
  Path folder() {
    return folder;
  }

  /** From now on writes fail where the disk has not been written to before. */
  void exhaust() throws IOException {
    fill(memory.resolve("rest"));
  }

  /** Writes a file that takes all the room there is. */
  static void fill(Path path) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      byte[] page = new byte[4096];
      while (true) {
        file.write(page);
      }
    } catch (IOException e) {
      assertEquals("No space left on device", e.getMessage());
    }
  }

  /**
   * From now on reads of all but the beginning of the disk fail. It is to be used with readers
   * alone.
   *
   * @param files a folder whose files leave the page cache
   * @return what the disk had
   */
  byte[] cut(Path files) throws IOException {
    must("sync", "-f", folder);
    byte[] contents = Files.readAllBytes(image);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(256 << 10);
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
      for (Path file : all) {
        must("dd", "status=none", "iflag=nocache", "count=0", "if=" + file);
      }
    }
    return contents;
  }

  /** Puts a disk in the place of the one that failed, with what that one had last. */
  void replace(byte[] contents) throws IOException {
    must("umount", folder);
    Files.deleteIfExists(memory.resolve("rest"));
    if (contents != null) {
      Files.write(image, contents);
    }
    must("mount", "-o", "loop", image, folder);
  }

  /** Fails where somebody still has a file open. */
  @Override
  public void close() throws IOException {
    if (image != null) {
      assertEquals("", run("umount", folder));
    }
    // The loop device lets go of its image a moment later; or much later, when a process that a
    // test beside this one has put into a sandbox, with a copy of all mounts, has ended, too.
    String complaint = run("umount", memory);
    for (int tries = 0; tries < 1200 && !complaint.isEmpty(); tries++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      complaint = run("umount", memory);
    }
    assertEquals("", complaint);
  }

  private static void must(Object... command) throws IOException {
    String complaint = run(command);
    Assumptions.assumeTrue(
        complaint.isEmpty(), () -> List.of(command) + " failed; it needs root: " + complaint);
  }

  /** Returns what it has to complain about; nothing where it succeeds. */
  private static String run(Object... command) throws IOException {
    List<String> words = new ArrayList<>();
    for (Object word : command) {
      words.add(word.toString());
    }
    Process process;
    try {
      process = new ProcessBuilder(words).redirectErrorStream(true).start();
    } catch (IOException e) {
      return e.getMessage();
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean failed;
    try {
      failed = process.waitFor() != 0;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return failed ? "exit " + process.exitValue() + ": " + output : "";
  }
}
