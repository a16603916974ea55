/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.BackendRegistry;
import dev.pread.reliability.Sandbox.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The core of the contract, on all backends, where a process may not do what it is used to: under
 * seccomp filters, on other file systems, and within limits.
 */
final class SandboxTest {

  /** What the log names where a queue can't be had: the call that fails. */
  private static final Pattern QUEUE_CALL = Pattern.compile("\\bio_(setup|submit|getevents)\\b");

  /** What the log names where files are not read directly. */
  private static final String FALLS_BACK = "DirectPreadDirectory.usesPageCache()";

  private static final List<String> BACKENDS = List.of("ffm", "jni", "channel");

  /** Whether this machine has queues where nothing is denied. */
  private static final boolean HAS_AIO = BackendRegistry.get("ffm").readAheadEngine().equals("aio");

  /** The calls this library could do without; those of io_uring it makes none of. */
  private static final List<String> OPTIONAL_CALLS =
      List.of(
          "preadv2",
          "statx",
          "madvise",
          "fadvise64",
          "io_setup",
          "io_submit",
          "io_getevents",
          "io_destroy",
          "io_uring_setup",
          "io_uring_enter",
          "io_uring_register");

  /**
   * What a container without further capabilities may not do, of the calls that exist on both
   * processors and that a program without the rights of an administrator might try. Docker's
   * profile (moby/profiles, seccomp/default.json of 2026-05-06) and containerd's (contrib/seccomp
   * of 2026-04-30) are lists of what is allowed, and fail all of these, in the same way. Not
   * modelled are rules that depend on arguments (the flags of clone, the family of a socket,
   * personality), and ENOSYS for calls that are younger than the profile.
   */
  private static final List<String> CONTAINER =
      Stream.concat(
              Stream.of("clone3=ENOSYS"),
              Stream.of(
                      ("io_uring_setup io_uring_enter io_uring_register perf_event_open userfaultfd"
                              + " bpf mbind get_mempolicy set_mempolicy set_mempolicy_home_node"
                              + " migrate_pages move_pages process_madvise kcmp pidfd_getfd"
                              + " open_by_handle_at fanotify_init quotactl add_key request_key keyctl"
                              + " unshare setns")
                          .split(" ", -1))
                  .map(call -> call + "=EPERM"))
          .toList();

  /** The places where the files lie: the shell's commands that mount something on {@code $1}. */
  enum FileSystem {
    /** Whatever the build is on. */
    THE_BUILDS(""),
    TMPFS("mount -t tmpfs -o size=256m none \"$1\""),
    /** One that has no direct I/O on any kernel. */
    RAMFS("mount -t ramfs none \"$1\""),
    OVERLAY(
        "mkdir \"$1.lower\" \"$1.upper\" \"$1.work\"; mount -t overlay none \"$1\""
            + " -o \"lowerdir=$1.lower,upperdir=$1.upper,workdir=$1.work\""),
    EXT4(inAFile("256M", "mkfs.ext4 -q -b 4096")),
    XFS(inAFile("400M", "mkfs.xfs -q")),
    BTRFS(inAFile("256M", "mkfs.btrfs -q"));

    private final String script;

    FileSystem(String script) {
      this.script = script;
    }

    /** Returns commands for a loop device, whose file lies in memory. */
    private static String inAFile(String size, String mkfs) {
      return "mkdir \"$1.memory\"; cd \"$1.memory\"; mount -t tmpfs none .; cd \"$1.memory\";"
          + " truncate -s "
          + size
          + " image; "
          + mkfs
          + " image; mount -o loop image \"$1\"";
    }

    /**
     * Returns whether what can be opened directly is read so: this one has no device to read from.
     */
    boolean isSureOfDirect() {
      return this != TMPFS;
    }
  }

  /** Calls that fail, as {@link Sandbox#denying} takes them. */
  record Filter(String name, List<String> denied) {

    /** Returns whether the calls of a queue are allowed. */
    boolean hasQueues() {
      return Stream.of("io_setup", "io_submit", "io_getevents")
          .noneMatch(call -> denied.stream().anyMatch(d -> d.startsWith(call + "=")));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @TempDir private Path folder;

  /** The folder where the index goes, and file systems are mounted. */
  private Path data;

  @BeforeEach
  void makeFolder() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
  }

  /**
   * Every file system without a filter, and the filters of many calls on the one that is fast,
   * having its device in memory; with -Psoak those on every file system, and of each call alone
   * where the build is.
   */
  static Stream<Arguments> environments() {
    List<Filter> filters = new ArrayList<>();
    filters.add(new Filter("container", CONTAINER));
    List<String> errors = List.of("EPERM", "ENOSYS");
    for (String error : errors) {
      filters.add(denial("all " + error, OPTIONAL_CALLS, error));
    }
    boolean whole = Campaign.size(0, 0, 1) == 1;
    Filter none = new Filter("no filter", List.of());
    List<Arguments> environments = new ArrayList<>();
    for (FileSystem system : FileSystem.values()) {
      environments.add(Arguments.of(none, system));
      for (Filter filter : filters) {
        if (whole || system == FileSystem.XFS) {
          environments.add(Arguments.of(filter, system));
        }
      }
    }
    for (String error : whole ? errors : List.<String>of()) {
      for (String call : OPTIONAL_CALLS) {
        Filter filter = denial(call + " " + error, List.of(call), error);
        environments.add(Arguments.of(filter, FileSystem.THE_BUILDS));
      }
    }
    return environments.stream();
  }

  /**
   * EPERM for each statx would be the end of the JVM, which opens no jar without; so it is for
   * those that ask for the alignment of direct I/O ({@code STATX_DIOALIGN}, 0x2000), as ours do.
   */
  private static Filter denial(String name, List<String> calls, String error) {
    return new Filter(
        name,
        calls.stream()
            .map(call -> call.equals("statx") && error.equals("EPERM") ? "statx:8192" : call)
            .map(call -> call + "=" + error)
            .toList());
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("environments")
  void everythingIsRightUnder(Filter filter, FileSystem system) throws Exception {
    Sandbox sandbox = Sandbox.NONE;
    if (!system.script.isEmpty()) {
      sandbox = sandbox.mounting(system.script, data);
    }
    if (!filter.denied().isEmpty()) {
      sandbox = sandbox.denying(folder, filter.denied());
    }
    Result result = run(sandbox, ContractCore.Task.EVERYTHING);
    List<String> verdicts = verdicts(result);
    boolean possible = verdicts.toString().contains("possible=true");
    if (system == FileSystem.RAMFS) {
      assertEquals(false, possible, result.toString());
    }
    boolean hasQueues = HAS_AIO && filter.hasQueues();
    boolean direct =
        system.isSureOfDirect() ? possible : verdicts.toString().contains("opened=true");
    assertTrue(possible || !direct, result.toString());
    List<String> expected = new ArrayList<>();
    for (String backend : BACKENDS) {
      boolean opened = direct && !backend.equals("channel");
      expected.add(verdict(backend, false, false, possible, false));
      expected.add(verdict(backend, true, opened, possible, hasQueues));
    }
    assertEquals(expected, verdicts, result.toString());
    assertEquals(
        direct && !hasQueues, QUEUE_CALL.matcher(result.output()).find(), result.toString());
    // What falls back says so before, and nobody else says anything.
    int said = result.output().indexOf(FALLS_BACK);
    assertTrue(
        said >= 0 && said < result.output().indexOf("usesPageCache=true"), result.toString());
    assertTrue(said > result.output().lastIndexOf("opened=true"), result.toString());
    if (filter.denied().isEmpty() && system != FileSystem.THE_BUILDS) {
      keepEnvironment(result);
    }
  }

  /**
   * Leaves the line in which it names its file system and its Java, for {@code .ci/compatibility}.
   */
  private static void keepEnvironment(Result result) throws IOException {
    Files.write(
        Path.of("target/environments.log"),
        result.output().lines().filter(line -> line.startsWith(ContractCore.ENVIRONMENT)).toList(),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** What can't give memory back must not take all there is. */
  @Test
  void aCacheIsElasticUnlessMemoryCanNotBeGivenBack() throws Exception {
    Result elastic = run(Sandbox.NONE, ContractCore.Task.CACHE);
    assertTrue(elastic.output().contains("elastic"), elastic.toString());
    Sandbox sandbox = Sandbox.NONE.denying(folder, List.of("madvise=EPERM"));
    Result fixed = run(sandbox, ContractCore.Task.CACHE);
    assertTrue(fixed.output().contains("BlockCache(size="), fixed.toString());
    assertFalse(fixed.output().contains("elastic"), fixed.toString());
  }

  /** What the machine has may be far more than what this process may use. */
  @Test
  void aCacheStaysSmallWhereTheMemoryLimitCanNotBeToldAndSaysWhy() throws Exception {
    // No driver has such a number, so that not even root can open it.
    Sandbox sandbox =
        Sandbox.NONE.mounting(
            "mknod \"$1.none\" c 4000 0; mount --bind \"$1.none\" /proc/$PPID/mountinfo", data);
    Result result = run(sandbox, ContractCore.Task.CACHE);
    assertTrue(result.output().contains("BlockCache(size=67108864,"), result.toString());
    Fixtures.assertNames(result.output(), "/proc/self/mountinfo");
  }

  @Test
  void aReadOnlyMountIsReadAndRefusesToBeWrittenByName() throws Exception {
    ContractCore.prepare(data);
    Sandbox sandbox =
        Sandbox.NONE.mounting("mount --bind \"$1\" \"$1\"; mount -o remount,bind,ro \"$1\"", data);
    Result result = run(sandbox, ContractCore.Task.READ_ONLY);
    assertEquals(2 * BACKENDS.size(), verdicts(result).size(), result.toString());
  }

  /** The library of the JNI backend has to be a file for a moment, and can't be run there. */
  @Test
  void whereTemporaryFilesCanNotBeRunTheJniBackendSaysWhereAndWhatToDo() throws Exception {
    Sandbox sandbox = Sandbox.NONE.mounting("mount -t tmpfs -o noexec none \"$1\"", data);
    Result result =
        run(sandbox, ContractCore.Task.EVERYTHING, "-Djava.io.tmpdir=" + data.toRealPath());
    assertEquals(4, verdicts(result).size(), result.toString());
    String refusal =
        result.output().lines().filter(line -> line.startsWith("unavailable jni")).findAny().get();
    Fixtures.assertNames(
        refusal, data.toRealPath(), "noexec", "-Djava.io.tmpdir", "-Ddev.pread.jni.library=FILE");
  }

  @Test
  void withFewDescriptorsTheErrorNamesTheFileAndWhatIsOpenGoesOn() throws Exception {
    Result result = run(Sandbox.NONE.after("ulimit -n 64"), ContractCore.Task.DESCRIPTORS);
    assertEquals(2 * BACKENDS.size(), verdicts(result).size(), result.toString());
  }

  /**
   * The memory of a cache is taken in pieces of 1 GiB. The first limit leaves no room for any, the
   * second for one of four.
   */
  @ParameterizedTest
  @CsvSource({"800000, false, 0", "1600000, true, 262144"})
  void withLittleAddressSpaceTheCacheStaysSmallerAndSaysSo(int kib, boolean cached, int blocks)
      throws Exception {
    Result result =
        run(
            // The C library reserves memory for each thread.
            Sandbox.NONE.after("export MALLOC_ARENA_MAX=1; ulimit -v " + kib),
            ContractCore.Task.EVERYTHING,
            "-XX:CompressedClassSpaceSize=32m",
            "-XX:ReservedCodeCacheSize=32m",
            "-D" + ContractCore.CACHE_PROPERTY + "=" + (4L << 30));
    List<String> verdicts = verdicts(result);
    assertEquals(2 * BACKENDS.size(), verdicts.size(), result.toString());
    String end = " cached=" + cached + " capacity=" + blocks;
    assertTrue(verdicts.get(0).endsWith(end), result.toString());
    String said = "it has " + (long) blocks * ContractCore.BLOCK_BYTES + "; said once";
    assertTrue(result.output().contains(said), result.toString());
    assertTrue(result.output().contains("ulimit -v"), result.toString());
  }

  /** It knows what is left, and leaves most of that to the JVM. */
  @ParameterizedTest
  @CsvSource({"-v, 1600000, 8m", "-d, 400000, 8m", "-d, 400000, 128m"})
  void withLittleAddressSpaceACacheThatAdaptsHasSome(String limit, long kib, String heapAtStart)
      throws Exception {
    Result result =
        run(
            Sandbox.NONE.after("export MALLOC_ARENA_MAX=1; ulimit " + limit + " " + kib),
            ContractCore.Task.EVERYTHING,
            "-XX:CompressedClassSpaceSize=32m",
            "-XX:ReservedCodeCacheSize=32m",
            "-Xms" + heapAtStart,
            "-D" + ContractCore.CACHE_PROPERTY + "=-1");
    List<String> verdicts = verdicts(result);
    assertEquals(2 * BACKENDS.size(), verdicts.size(), result.toString());
    for (String verdict : verdicts) {
      assertTrue(verdict.contains(" cached=true"), result.toString());
      assertTrue(bytes(verdict) <= kib * 1024 / 3, result.toString());
    }
    // Those that follow have less: what the ones before had is unmapped at some later time.
    assertTrue(bytes(verdicts.get(0)) > 8 << 20, result.toString());
    assertFalse(result.output().contains("stays smaller"), result.toString());
  }

  /** Returns the capacity of a cache that a verdict tells. */
  private static long bytes(String verdict) {
    String blocks = verdict.substring(verdict.indexOf("capacity=") + "capacity=".length());
    return Long.parseLong(blocks) * ContractCore.BLOCK_BYTES;
  }

  /** The memory of a queue counts as locked on no kernel, but that of other engines does. */
  @Test
  void withoutMemoryThatCanBeLockedReadsAheadAreMadeByQueues() throws Exception {
    Result result = run(Sandbox.NONE.after("ulimit -l 0"), ContractCore.Task.EVERYTHING);
    String possible = " possible=true";
    for (String verdict : verdicts(result)) {
      if (verdict.contains("opened=true") && verdict.contains(possible)) {
        assertTrue(verdict.contains(" ahead=aio "), result.toString());
      }
    }
    assertEquals(2 * BACKENDS.size(), verdicts(result).size(), result.toString());
  }

  /** Returns what a system may do with asynchronous reads, of which io_uring's are none of ours. */
  static List<Filter> engines() {
    List<String> calls = List.of("io_setup", "io_submit", "io_getevents", "io_destroy");
    return List.of(
        new Filter("no filter", List.of()),
        denial("AIO EPERM", calls, "EPERM"),
        denial("AIO ENOSYS", calls, "ENOSYS"),
        denial("io_submit EPERM", List.of("io_submit"), "EPERM"),
        // The system answers this when all of fs.aio-max-nr is in use.
        denial("io_setup EAGAIN", List.of("io_setup"), "EAGAIN"));
  }

  @ParameterizedTest
  @MethodSource("engines")
  void manyVirtualThreadsReadWhatTheyAnnounce(Filter filter) throws Exception {
    Sandbox sandbox = Sandbox.NONE;
    if (!filter.denied().isEmpty()) {
      sandbox = sandbox.denying(folder, filter.denied());
    }
    long threads = filter.denied().isEmpty() ? 10_000 : Campaign.size(1000, 10_000, 10_000);
    readByMany(sandbox, threads, filter.hasQueues());
  }

  @Test
  void manyVirtualThreadsReadWithoutMemoryThatCanBeLocked() throws Exception {
    long threads = Campaign.size(1000, 10_000, 10_000);
    readByMany(Sandbox.NONE.after("ulimit -l 0"), threads, true);
  }

  /** Checks that all is right, and that one line is logged where something is missing. */
  private void readByMany(Sandbox sandbox, long threads, boolean hasQueues) throws Exception {
    Assumptions.assumeTrue(!hasQueues || HAS_AIO, "this machine has no queues to read ahead by");
    for (String backend : BACKENDS.subList(0, (int) Campaign.size(1, 2, 2))) {
      Path own = Files.createDirectories(data.resolve(backend));
      List<String> options = List.of(ManyReaders.LOG_FORMAT, "-Xmx512m");
      Result result = sandbox.java(folder, options, ManyReaders.class, own, backend, threads);
      assertEquals(0, result.status(), result.toString());
      List<String> logged =
          result.output().lines().filter(line -> line.startsWith(ManyReaders.LOGGED)).toList();
      String engine = hasQueues ? "aio" : "threads";
      assertTrue(result.output().contains("right ahead=" + engine), result.toString());
      if (logged.toString().contains(FALLS_BACK)) {
        Assumptions.abort("no O_DIRECT where the build is: " + logged);
      }
      assertEquals(hasQueues ? 0 : 1, logged.size(), result.toString());
      assertTrue(hasQueues || QUEUE_CALL.matcher(logged.get(0)).find(), result.toString());
    }
  }

  private Result run(Sandbox sandbox, ContractCore.Task task, String... options) throws Exception {
    Result result = sandbox.java(folder, List.of(options), ContractCore.class, task, data);
    assertEquals(0, result.status(), result.toString());
    return result;
  }

  private static List<String> verdicts(Result result) {
    return result.output().lines().filter(line -> line.startsWith("right ")).toList();
  }

  private static String verdict(
      String backend, boolean direct, boolean opened, boolean possible, boolean hasQueues) {
    String engine = hasQueues ? "aio" : "threads";
    return "right backend="
        + backend
        + " direct="
        + direct
        + " usesPageCache="
        + (direct && !opened)
        + " opened="
        + opened
        + " possible="
        + possible
        + " ahead="
        + (direct && opened ? engine : "none")
        + " cached=true capacity="
        + ContractCore.CACHE_BLOCKS;
  }
}
