/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The other processes in the same memory cgroup that have caches which adapt, and what they tell
 * each other: how much their heaps may still take, how much their caches have, and whether these
 * could use more.
 *
 * <p>Each process says so in the name of its governor's thread ({@code /proc/TID/comm}), which all
 * processes of a container may read, and which ends with the process and leaves nothing behind. A
 * process that can't be seen, in another container for example, is a neighbour like any other. So
 * are all others for a process that can't be heard itself: it would make room for them, and they
 * not for it.
 *
 * <p>What they say is a hint. A process that lies can push the others to the least they may have,
 * which it could also do by using the memory.
 *
 * <p>It is not thread-safe.
 */
final class Peers implements AutoCloseable {

  /** The time between two searches for threads that have begun. */
  private static final long SCAN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A thread that begins has another name at first, so one look at it is not enough. */
  private static final int ENOUGH_LOOKS = 2;

  /** After so many searches all are looked at again: one may have spoken late. */
  private static final int SEARCHES_WITH_MEMORY = 32;

  /** The most threads that are looked at in one search, so that it takes milliseconds. */
  private static final int MAX_MEETINGS = 128;

  /** The figures are in MiB, since the name of a thread has {@link #NAME_LENGTH} bytes. */
  private static final int MEBIBYTE_BITS = 20;

  private static final int RADIX = 36;
  private static final long LARGEST = 36L * 36 * 36 * 36 - 1;
  private static final String ZEROS = "0000";
  private static final char WANTS_MORE = '<';
  private static final char IS_CONTENT = '=';
  private static final Pattern NAME = Pattern.compile("pread:([0-9a-z]{4})([<=])([0-9a-z]{4})\\n*");

  private static final int NAME_LENGTH = 15;

  private final SystemCalls calls;
  private final Path proc;

  /** What all files are read by, and the name of this process's own thread is written by. */
  private final NativeBuffer buffer;

  /** The threads of other governors, by their numbers. */
  private final Map<String, Peer> peers = new HashMap<>();

  /** How often other threads have been looked at, by their numbers. */
  private final Map<String, Integer> others = new HashMap<>();

  private long nextScan = System.nanoTime();
  private int searches;

  /** The file with the name of this process's own thread, or a negative errno. */
  private int own = -1;

  /** The number of that thread, or an empty text while there is none. */
  private String ownThread = "";

  private String told = "";

  private long heapGrowth;
  private long cacheBytes;
  private long least;
  private int wanting;

  /**
   * Creates a view of nobody.
   *
   * @param root the folder that {@code proc} lies in: {@code /}, but for tests
   */
  Peers(SystemCalls calls, Path root) {
    this.calls = calls;
    this.proc = root.resolve("proc");
    this.buffer = KernelFile.buffer(calls);
  }

  /** Holds what another process has said. */
  private static final class Peer {

    private final KernelFile name;

    /** Whether its heap is ours: another class loader has loaded this class once more. */
    private final boolean isOfThisProcess;

    private long heapGrowth;
    private long cacheBytes;
    private boolean wantsMore;

    Peer(KernelFile name, boolean isOfThisProcess) {
      this.name = name;
      this.isOfThisProcess = isOfThisProcess;
    }

    /** Returns whether it is still there and says what is understood. */
    boolean tryRead() {
      Matcher said = NAME.matcher(name.read());
      if (!said.matches()) {
        return false;
      }
      heapGrowth = isOfThisProcess ? 0 : bytes(said.group(1));
      wantsMore = said.group(2).charAt(0) == WANTS_MORE;
      cacheBytes = bytes(said.group(3));
      return true;
    }

    private static long bytes(String digits) {
      return Long.parseLong(digits, RADIX) << MEBIBYTE_BITS;
    }
  }

  // ---- what this process says ----

  /** Makes the calling thread the one whose name says what this process has. */
  void speak() {
    String stat = text("thread-self/stat");
    ownThread = stat.substring(0, Math.max(0, stat.indexOf(' ')));
    told = "";
    if (!ownThread.isEmpty()) {
      own = calls.open(proc.resolve("thread-self/comm"), OpenMode.WRITE);
    }
  }

  /**
   * Tells the others.
   *
   * @param heapGrowth bytes that the heap of this process may still take
   * @param cacheBytes bytes that its caches have
   * @param wantsMore whether these could use more
   */
  void tell(long heapGrowth, long cacheBytes, boolean wantsMore) {
    String name =
        "pread:" + digits(heapGrowth) + (wantsMore ? WANTS_MORE : IS_CONTENT) + digits(cacheBytes);
    if (own < 0 || name.equals(told)) {
      return;
    }
    buffer.put(0, name.getBytes(StandardCharsets.ISO_8859_1), 0, NAME_LENGTH);
    if (calls.write(own, buffer, 0, NAME_LENGTH) == NAME_LENGTH) {
      told = name;
    }
  }

  private static String digits(long bytes) {
    String digits = Long.toString(Math.min(bytes >> MEBIBYTE_BITS, LARGEST), RADIX);
    return ZEROS.substring(digits.length()) + digits;
  }

  // ---- what the others say ----

  /**
   * Finds out what the others say now.
   *
   * @param group the group of this process
   * @param nanos the time ({@link System#nanoTime})
   * @return whether they are others than before
   */
  boolean look(MemoryLevel group, long nanos) {
    Set<String> before = Set.copyOf(peers.keySet());
    if (nanos - nextScan >= 0 && !told.isEmpty()) {
      nextScan = nanos + SCAN_NANOS;
      Set<String> numbers = group.threads().lines().collect(Collectors.toSet());
      numbers.remove("");
      scan(numbers, nanos);
    }
    // This comes first: if it fails, what they have said before is what counts.
    forgetUnless((number, peer) -> peer.tryRead());
    heapGrowth = 0;
    cacheBytes = 0;
    least = Long.MAX_VALUE;
    wanting = 0;
    for (Peer peer : peers.values()) {
      heapGrowth += peer.heapGrowth;
      cacheBytes += peer.cacheBytes;
      if (peer.wantsMore) {
        wanting++;
        least = Math.min(least, peer.cacheBytes);
      }
    }
    return !peers.keySet().equals(before);
  }

  private void forgetUnless(BiPredicate<String, Peer> isThere) {
    for (Iterator<Map.Entry<String, Peer>> each = peers.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<String, Peer> entry = each.next();
      if (!isThere.test(entry.getKey(), entry.getValue())) {
        entry.getValue().name.close();
        each.remove();
      }
    }
  }

  /** Looks at the threads of a group that have not been looked at often enough. */
  private void scan(Set<String> numbers, long nanos) {
    if (numbers.isEmpty()) {
      // Among them is the caller's, so the list could not be read.
      return;
    }
    forgetUnless((number, peer) -> numbers.contains(number));
    others.keySet().retainAll(numbers);
    int meetings = 0;
    for (String number : numbers) {
      boolean isKnown = peers.containsKey(number) || number.equals(ownThread);
      if (!isKnown && others.getOrDefault(number, 0) < ENOUGH_LOOKS) {
        if (meetings == MAX_MEETINGS) {
          nextScan = nanos;
          return;
        }
        meetings++;
        meet(number);
      }
    }
    // Only a search that has come to the end counts: of many threads, few are looked at at a time.
    searches++;
    if (searches % SEARCHES_WITH_MEMORY == 0) {
      others.clear();
    }
  }

  private void meet(String number) {
    KernelFile name = new KernelFile(calls, proc.resolve(number).resolve("comm"), buffer);
    boolean isPeer = false;
    try {
      if (NAME.matcher(name.read()).matches() && hears(number)) {
        peers.put(number, new Peer(name, isOfThisProcess(number)));
        isPeer = true;
        others.remove(number);
      } else {
        others.merge(number, 1, Integer::sum);
      }
    } finally {
      if (!isPeer) {
        name.close();
      }
    }
  }

  /** Returns whether a process sees this one as well: not from a PID namespace within ours. */
  private boolean hears(String number) {
    return namespaces(text(number + "/status")) == namespaces(text("self/status"));
  }

  private static int namespaces(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("NSpid:"))
        .mapToInt(line -> line.split("\t", -1).length)
        .sum();
  }

  private boolean isOfThisProcess(String number) {
    return !text("self/task/" + number + "/comm").isEmpty();
  }

  private String text(String file) {
    try (KernelFile now = new KernelFile(calls, proc.resolve(file), buffer)) {
      return now.read();
    }
  }

  /** Returns whether there is nobody. */
  boolean isEmpty() {
    return peers.isEmpty();
  }

  /** Returns how many bytes their heaps may still take. */
  long heapGrowth() {
    return heapGrowth;
  }

  /** Returns how many bytes their caches have. */
  long cacheBytes() {
    return cacheBytes;
  }

  /** Returns how many of them could use more. */
  int wanting() {
    return wanting;
  }

  /**
   * Returns how many bytes the caches have of the one that has least of those that could use more,
   * or {@link Long#MAX_VALUE} if there is none.
   */
  long least() {
    return least;
  }

  @Override
  public void close() {
    forgetUnless((number, peer) -> false);
    if (own >= 0) {
      // What was written is a name, and nothing can be lost.
      int ignored = calls.close(own);
      own = -1;
    }
  }
}
