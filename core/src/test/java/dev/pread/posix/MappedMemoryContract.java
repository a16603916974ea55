/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * What {@link SystemCalls#map} and other calls for memory of a native backend do to the process, as
 * {@code /proc} tells it. Each backend's module has a subclass, since it takes the backend to tell
 * an address.
 */
public abstract class MappedMemoryContract {

  private static final int GIB = 1 << 30;
  private static final int MIB = 1 << 20;

  /** So small that the C library takes it from its heap. */
  private static final int BUFFER_BYTES = 16 << 10;

  private final SystemCalls posix = Fixtures.nativeCalls();

  /** Creates the contract for a backend's test. */
  protected MappedMemoryContract() {}

  /** Returns where a direct buffer's first byte is. */
  protected abstract long address(ByteBuffer memory);

  /** One mapping of this process, {@code to} exclusive. */
  private record Mapping(
      long from, long to, long pageBytes, long residentBytes, List<String> flags) {}

  private static List<Mapping> mappings() throws IOException {
    List<Mapping> mappings = new ArrayList<>();
    long from = 0;
    long to = 0;
    long page = 0;
    long resident = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      String[] words = line.split("\\s+");
      if (words[0].matches("[0-9a-f]+-[0-9a-f]+")) {
        String[] ends = words[0].split("-", -1);
        from = Long.parseUnsignedLong(ends[0], 16);
        to = Long.parseUnsignedLong(ends[1], 16);
      } else if (words[0].equals("KernelPageSize:")) {
        page = Long.parseLong(words[1]) * 1024;
      } else if (words[0].equals("Rss:")) {
        resident = Long.parseLong(words[1]) * 1024;
      } else if (words[0].equals("VmFlags:")) {
        List<String> flags = List.of(words).subList(1, words.length);
        mappings.add(new Mapping(from, to, page, resident, flags));
      }
    }
    return mappings;
  }

  /** Returns the mapping that covers all of {@code size} bytes from {@code address}, or null. */
  private static Mapping covering(long address, long size) throws IOException {
    for (Mapping mapping : mappings()) {
      if (mapping.from() <= address && address + size <= mapping.to()) {
        return mapping;
      }
    }
    return null;
  }

  @Test
  void startsOnAHugePageAndIsAdvisedForThoseOf2Mebibytes() throws IOException {
    for (int size : new int[] {1, 5000, 2 * MIB, 3 * MIB + 1, 64 * MIB}) {
      ByteBuffer memory = posix.map(size);
      long address = address(memory);
      assertEquals(0, address % (2 * MIB), "size " + size);
      Mapping mapping = covering(address, size);
      assertTrue(mapping != null, "size " + size);
      if (Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))) {
        String advised = mapping.pageBytes() == 4 << 10 ? "hg" : "nh";
        assertTrue(mapping.flags().contains(advised), mapping.toString());
      }
      assertTrue(mapping.flags().contains("nr"), "reserves nothing: " + mapping);
      assertEquals(0, memory.get(size - 1), "and still there");
    }
  }

  /**
   * A cache counts 2 MiB for the first byte. Where pages have 16 or 64 KiB, a huge one is far
   * larger.
   */
  @Test
  void theFirstByteTakesNoMoreThanTwoMebibytes() throws IOException {
    ByteBuffer memory = posix.map(GIB);
    long address = address(memory);
    long before = covering(address, GIB).residentBytes();
    memory.put(GIB / 2, (byte) 1);
    long taken = covering(address, GIB).residentBytes() - before;
    assertTrue(0 < taken && taken <= 2 * MIB, taken + " bytes");
  }

  /**
   * A child would share its pages until one of both writes to them: what the device writes
   * meanwhile could go to the child's.
   */
  @Test
  void isNotInheritedByAForkedChild() throws IOException {
    ByteBuffer memory = posix.map(3 * MIB + 1);
    Mapping mapping = covering(address(memory), memory.capacity());
    assertTrue(mapping.flags().contains("dc"), "don't copy on fork: " + mapping);
    assertEquals(0, memory.get(3 * MIB), "and still there");
  }

  @Test
  void isBackedAsItIsTouchedAndDiscardedAtOnce() throws IOException {
    ByteBuffer memory = posix.map(GIB);
    long address = address(memory);
    long before = covering(address, GIB).residentBytes();
    assertTrue(before < GIB / 2, "lazily: " + before);
    for (int i = 0; i < 64 * MIB; i += 4096) {
      memory.put(i, (byte) 1);
    }
    long touched = covering(address, GIB).residentBytes();
    assertTrue(touched >= before + 64 * MIB, touched + " after " + before);
    // The position and the limit of the buffer do not matter.
    assertEquals(0, posix.discard(memory.position(5000).limit(6000)));
    memory.clear();
    long discarded = covering(address, GIB).residentBytes();
    assertTrue(discarded <= touched - 64 * MIB, discarded + " after " + touched);
    assertEquals(0, memory.get(4096), "the kernel gives zeroed pages");
    memory.put(4096, (byte) 3);
    assertEquals(3, memory.get(4096));
  }

  @Test
  void isPopulatedAtOnceAndKeepsWhatIsInIt() throws IOException {
    ByteBuffer memory = posix.map(GIB);
    long address = address(memory);
    memory.put(5, (byte) 7);
    long before = covering(address, GIB).residentBytes();
    ByteBuffer part = memory.slice(0, 64 * MIB);
    int result = posix.populate(part.position(5000).limit(6000));
    Assumptions.assumeFalse(result == -Errno.EINVAL, "this needs Linux 5.14");
    assertEquals(0, result);
    long populated = covering(address, GIB).residentBytes() - before;
    // The first byte has brought in a huge page, where there are any.
    assertTrue(populated >= 62 * MIB, populated + " more");
    assertEquals(7, memory.get(5));
  }

  @Test
  void whatJutsOutIsUnmapped() throws IOException {
    long before = virtualBytes();
    List<ByteBuffer> kept = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      kept.add(posix.map(1));
    }
    // 2 GiB would be left of the room for alignment; other threads of the JVM may map something.
    long added = virtualBytes() - before;
    assertTrue(added < GIB / 2, added + " bytes for " + kept.size());
  }

  private static long virtualBytes() throws IOException {
    return mappings().stream().mapToLong(m -> m.to() - m.from()).sum();
  }

  /**
   * Maps a GiB, keeps of it only what {@code part} makes, and waits until it is unmapped or the
   * collector has had its chance to.
   */
  private boolean unmapped(Function<ByteBuffer, Object> part, Predicate<Object> use)
      throws Exception {
    ByteBuffer memory = posix.map(GIB);
    memory.putLong(GIB - 8, 4711);
    long address = address(memory);
    Object kept = part.apply(memory);
    memory = null;
    boolean gone = false;
    for (int i = 0; i < (kept == null ? 1000 : 3) && !gone; i++) {
      System.gc();
      Thread.sleep(10);
      gone = covering(address, GIB) == null;
    }
    // Only here is its last use: until now it has been reachable.
    assertTrue(gone || kept == null || use.test(kept), "readable");
    return gone;
  }

  @Test
  void isUnmappedWhenNothingOfItIsReachable() throws Exception {
    assertTrue(unmapped(m -> null, o -> true));
  }

  @Test
  void slicesDuplicatesViewsAndVectorsKeepIt() throws Exception {
    assertFalse(
        unmapped(m -> m, o -> ((ByteBuffer) o).getLong(GIB - 8) == 4711), "the buffer itself");
    assertFalse(
        unmapped(
            m -> m.slice(GIB - 16, 16).order(ByteOrder.LITTLE_ENDIAN).slice(8, 8),
            o -> ((ByteBuffer) o).order(ByteOrder.LITTLE_ENDIAN).getLong(0) == 4711),
        "a slice of a slice");
    assertFalse(
        unmapped(ByteBuffer::asReadOnlyBuffer, o -> ((ByteBuffer) o).get(0) == 0), "read-only");
    assertFalse(
        unmapped(ByteBuffer::asLongBuffer, o -> ((LongBuffer) o).get(GIB / 8 - 1) == 4711),
        "a view");
    assertFalse(
        unmapped(
            m -> posix.wrap(m.slice(GIB - 16, 16)),
            o -> ((NativeBuffer) o).bytes().getLong(8) == 4711),
        "a buffer for calls over a slice of it");
    IoVector vector = posix.newVector(2);
    assertFalse(
        unmapped(
            m -> {
              vector.add(m, 0, 8);
              return vector;
            },
            o -> ((IoVector) o).size() == 1),
        "a vector with a piece of it");
    assertTrue(
        unmapped(
            m -> {
              vector.clear();
              vector.add(m, 0, 8);
              vector.clear();
              return null;
            },
            o -> true),
        "a vector that has been cleared");
    assertEquals(0, vector.size());
  }

  /**
   * Direct buffers are of the C library's heap. Of 64 neighbours one stays, so that what is freed
   * is not at its end, from where it goes back by itself.
   */
  @Test
  void whatTheCLibraryHasFreedGoesBack() throws Exception {
    boolean isGlibc = !Files.readString(Path.of("/proc/self/maps")).contains("ld-musl");
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 32 * MIB; i += BUFFER_BYTES) {
      buffers.add(ByteBuffer.allocateDirect(BUFFER_BYTES));
    }
    LongSummaryStatistics addresses = buffers.stream().mapToLong(this::address).summaryStatistics();
    List<ByteBuffer> kept = new ArrayList<>();
    for (int i = 0; i < buffers.size(); i += 64) {
      kept.add(buffers.get(i));
    }
    long leftFrom = directBuffers().getCount() - buffers.size() + kept.size();
    buffers.clear();
    for (int i = 0; i < 1000 && directBuffers().getCount() > leftFrom; i++) {
      System.gc();
      Thread.sleep(10);
    }
    long before = residentBytes(addresses.getMin(), addresses.getMax());
    int result = posix.mallocTrim();
    long given = before - residentBytes(addresses.getMin(), addresses.getMax());
    assertEquals(isGlibc, result >= 0);
    assertTrue(!isGlibc || given > 16 * MIB, given + " of " + before);
    assertEquals(BUFFER_BYTES, kept.getLast().capacity());
  }

  /** Returns how much memory the mappings have that are at least in part in a range. */
  private static long residentBytes(long first, long last) throws IOException {
    return mappings().stream()
        .filter(mapping -> mapping.to() > first && mapping.from() <= last)
        .mapToLong(Mapping::residentBytes)
        .sum();
  }

  private static BufferPoolMXBean directBuffers() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .findFirst()
        .orElseThrow();
  }

  /** What the JVM runs whose address space is limited: maps until there is no more. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) {
      SystemCalls posix = Fixtures.nativeCalls();
      List<ByteBuffer> kept = new ArrayList<>();
      try {
        while (kept.size() < 1000) {
          kept.add(posix.map(GIB));
        }
        System.out.println("no limit");
      } catch (NoNativeMemoryError e) {
        kept.forEach(m -> m.put(0, (byte) 1));
        System.out.println("mapped=" + !kept.isEmpty() + " " + e);
      }
    }
  }

  @Test
  void saysWhatToDoWhereThereIsNoAddressSpace() throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell to set the limit");
    Process process =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "ulimit -v 8388608 && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-D" + BackendRegistry.PROPERTY + "=" + posix.name(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Fixtures.assertNames(
        output,
        "mapped=true",
        NoNativeMemoryError.class.getName(),
        "mmap",
        GIB,
        GIB + (2 << 20),
        Errno.describe(Errno.ENOMEM),
        "ulimit -v",
        "vm.overcommit_memory",
        "vm.max_map_count");
    assertTrue(output.contains("ulimit -v"), output);
  }
}
