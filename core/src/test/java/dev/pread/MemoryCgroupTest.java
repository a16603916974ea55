/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.SystemCalls;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An elastic cache in a memory cgroup that the kernel keeps: it takes what is free, and gives it
 * back to a neighbour before anybody is killed. It is skipped without root or a memory controller.
 */
class MemoryCgroupTest {

  private static final int MIB = 1 << 20;
  private static final int LIMIT_MIB = 384;
  private static final int FILE_MIB = 400;
  private static final int NEIGHBOUR_MIB = 100;
  private static final int BLOCK = 16 << 10;

  @TempDir Path folder;

  private final SystemCalls calls = Fixtures.nativeCalls();
  private Path group;

  @BeforeEach
  void makeGroup() throws IOException {
    Path mount = Path.of("/sys/fs/cgroup");
    boolean isV1 = Files.exists(mount.resolve("memory/memory.limit_in_bytes"));
    String name = "lucene-pread-test-" + ProcessHandle.current().pid();
    Path wanted = isV1 ? mount.resolve("memory").resolve(name) : mount.resolve(name);
    String limit = Long.toString((long) LIMIT_MIB * MIB);
    try {
      Files.createDirectory(wanted);
      group = wanted;
      Files.writeString(group.resolve(isV1 ? "memory.limit_in_bytes" : "memory.max"), limit);
      Path swap = group.resolve(isV1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max");
      if (Files.exists(swap)) {
        Files.writeString(swap, isV1 ? limit : "0");
      }
    } catch (IOException e) {
      removeGroup();
      Assumptions.abort("no memory cgroup can be made: " + e);
    }
    writeFile();
  }

  /** The kernel takes a moment to see that the last process is gone. */
  @AfterEach
  void removeGroup() {
    for (int i = 0; group != null && i < 1000; i++) {
      try {
        Files.deleteIfExists(group);
        return;
      } catch (IOException busy) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /** Returns the command of a JVM that is in the group from its first page on. */
  private List<String> java(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("/bin/sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
    command.add(group.resolve("cgroup.procs").toString());
    command.addAll(javaWithoutGroup("-Xmx64m", calls.name(), main));
    command.addAll(List.of(arguments));
    return command;
  }

  private static List<String> javaWithoutGroup(String heap, String backend, Class<?> main) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        heap,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-D" + BackendRegistry.PROPERTY + "=" + backend,
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
        main.getName());
  }

  private void writeFile() throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(folder.resolve("f")))) {
      for (int mebibyte = 0; mebibyte < FILE_MIB; mebibyte++) {
        out.write(content(mebibyte));
      }
    }
  }

  @Test
  void takesWhatIsFreeAndGivesItBackToANeighbour() throws Exception {
    Process process =
        new ProcessBuilder(java(Reader.class, folder.toString())).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), "killed? " + output);
    assertTrue(output.contains("> the cache has more than half of the limit"), output);
    assertTrue(output.contains("> the neighbour has what it wants"), output);
    assertTrue(output.contains("> the cache has given memory back"), output);
    assertTrue(output.contains("> all was right"), output);
  }

  /** Without a word between them the second one gets a sixth of what the first one keeps. */
  @Test
  @Timeout(Fixtures.TIMEOUT_SECONDS)
  void twoProcessesShare() throws Exception {
    // It takes ten seconds, and the backends differ by one call, which has tests of its own.
    Assumptions.assumeTrue(calls.name().equals("ffm"), "it is tried with another backend");
    Process first = sharer();
    try (DataInputStream ofFirst = new DataInputStream(first.getInputStream())) {
      long alone = awaitTaken(ofFirst);
      Process second = sharer();
      try (DataInputStream ofSecond = new DataInputStream(second.getInputStream())) {
        // A moment in which the first one has lost everything is no share.
        for (int even = 0; even < 20; ) {
          long had = next(ofFirst);
          long got = next(ofSecond);
          assertTrue(had > alone / 5, had + " of " + alone + " are left, and " + got + " taken");
          even = Math.min(had, got) > Math.max(had, got) / 4 * 3 ? even + 1 : 0;
        }
      } finally {
        second.destroyForcibly().waitFor();
      }
    } finally {
      first.destroyForcibly().waitFor();
    }
  }

  private Process sharer() throws IOException {
    return new ProcessBuilder(java(Sharer.class, folder.toString()))
        .redirectError(ProcessBuilder.Redirect.appendTo(errors().toFile()))
        .start();
  }

  /** Waits until a cache has taken what there is, and returns how much that is. */
  private long awaitTaken(DataInputStream bytes) throws IOException {
    long before = 0;
    long now = next(bytes);
    while (now != before || now < LIMIT_MIB / 4L * MIB) {
      before = now;
      now = next(bytes);
    }
    return now;
  }

  /** Returns what a sharer says next. */
  private long next(DataInputStream bytes) throws IOException {
    try {
      return bytes.readLong();
    } catch (EOFException e) {
      throw new AssertionError("it has ended: " + Files.readString(errors()), e);
    }
  }

  /** Returns the file of what sharers print as errors. */
  private Path errors() {
    return folder.resolve("errors");
  }

  /**
   * A process that reads more than its cache has room for, and says again and again how large that
   * is.
   */
  static final class Sharer {

    private Sharer() {}

    /** The argument is the folder of the file. */
    public static void main(String[] args) throws Exception {
      DataOutputStream out = new DataOutputStream(System.out);
      Random random = new Random(Fixtures.SEED);
      try (BlockCache cache = new BlockCache();
          Directory directory = opened(args[0], cache);
          IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        byte[] block = new byte[BLOCK];
        while (true) {
          for (int i = 0; i < 500; i++) {
            input.seek((long) random.nextInt(FILE_MIB) * MIB + random.nextInt(MIB - block.length));
            input.readBytes(block, 0, block.length);
          }
          out.writeLong(cache.stats().memoryBytes());
          out.flush();
        }
      }
    }
  }

  private static Directory opened(String folder, BlockCache cache) throws IOException {
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    return new DirectPreadDirectory(Path.of(folder), FSLockFactory.getDefault(), config);
  }

  /** Returns what a MiB of the file is. */
  private static byte[] content(int mebibyte) {
    ByteBuffer bytes = ByteBuffer.allocate(MIB).order(ByteOrder.LITTLE_ENDIAN);
    for (long i = 0; i < MIB / Long.BYTES; i++) {
      bytes.putLong((mebibyte * (long) MIB + i) * 0x9E3779B97F4A7C15L);
    }
    return bytes.array();
  }

  /** The process with the cache, in the group. The argument is the folder of the file. */
  static final class Reader {

    private Reader() {}

    /** Says what it has seen; a wrong byte is an exception. */
    public static void main(String[] args) throws Exception {
      try (BlockCache cache = new BlockCache();
          Directory directory = opened(args[0], cache);
          IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        long taken = 0;
        // It gives some of it back, for a while, where the JVM itself has taken much at once.
        for (int times = 0; times < 20 && taken <= LIMIT_MIB / 2L * MIB; times++) {
          for (int mebibyte = 0; mebibyte < FILE_MIB; mebibyte++) {
            check(input, mebibyte);
          }
          say(cache.toString() + cache.stats());
          taken = cache.stats().memoryBytes();
        }
        if (taken > LIMIT_MIB / 2L * MIB) {
          say("the cache has more than half of the limit");
        }
        neighbour(input);
        say(cache.toString() + cache.stats());
        if (taken - cache.stats().memoryBytes() > NEIGHBOUR_MIB / 2L * MIB
            && cache.stats().givenBackBytes() > NEIGHBOUR_MIB / 2L * MIB) {
          say("the cache has given memory back");
        }
        for (int mebibyte = 0; mebibyte < FILE_MIB; mebibyte++) {
          check(input, mebibyte);
        }
        say("all was right");
      }
    }

    /** Reads on while another process in the group takes memory. */
    private static void neighbour(IndexInput input) throws Exception {
      String backend = System.getProperty(BackendRegistry.PROPERTY);
      Process process =
          new ProcessBuilder(javaWithoutGroup("-Xmx160m", backend, Neighbour.class))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (InputStream said = process.getInputStream()) {
        Random random = new Random(Fixtures.SEED);
        while (said.available() == 0 && process.isAlive()) {
          check(input, random.nextInt(FILE_MIB));
        }
        if (said.read() == 'T') {
          say("the neighbour has what it wants");
        }
      } finally {
        process.destroyForcibly();
      }
    }

    private static void check(IndexInput input, int mebibyte) throws IOException {
      byte[] read = new byte[MIB];
      input.seek((long) mebibyte * MIB);
      input.readBytes(read, 0, MIB);
      if (ByteBuffer.wrap(read).mismatch(ByteBuffer.wrap(content(mebibyte))) >= 0) {
        throw new AssertionError("wrong bytes in MiB " + mebibyte);
      }
    }
  }

  /** Takes memory, says {@code T} and waits to be ended. */
  static final class Neighbour {

    private static final byte[][] NEIGHBOUR_MEMORY = new byte[NEIGHBOUR_MIB][];

    private Neighbour() {}

    /** Takes it about as fast as a heap grows. */
    public static void main(String[] args) throws IOException {
      for (int i = 0; i < NEIGHBOUR_MIB; i++) {
        NEIGHBOUR_MEMORY[i] = content(i);
        LockSupport.parkNanos(5_000_000);
      }
      System.out.print("T");
      System.out.flush();
      int ignored = System.in.read();
    }
  }

  private static void say(String text) {
    System.out.println("> " + text);
  }
}
