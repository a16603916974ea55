/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sixteen threads on one file never wait for each other at a monitor; JFR would tell. Those of
 * {@code NIOFSDirectory} do, which shows that it is able to tell.
 */
class ReadContentionTest {

  private static final String MONITOR_ENTER = "jdk.JavaMonitorEnter";
  private static final int THREADS = 16;
  private static final int FILE_LENGTH = 1 << 20;
  private static final int READS = 50_000;
  private static final String READER = "contending-reader";

  @TempDir Path folder;

  /** There is no cache, or one that evicts all the time, or one that holds the file. */
  @ParameterizedTest
  @ValueSource(longs = {0, 256 * 1024, 16 * 1024 * 1024})
  void readersMeetNoMonitor(long cacheSize) throws Exception {
    Fixtures.nativeCalls();
    try (BlockCache cache = new BlockCache(cacheSize);
        Directory directory =
            new PreadDirectory(
                folder, FSLockFactory.getDefault(), PreadConfig.builder().cache(cache).build())) {
      write(directory);
      // Loading classes takes monitors, once, and so does each buffer that the pool gets when more
      // threads than ever before are in a call.
      contendedMonitors(directory, READS);
      assertEquals(List.of(), contendedMonitors(directory, READS));
    }
  }

  @Test
  void thoseOfFileChannelDo() throws Exception {
    try (Directory directory = new NIOFSDirectory(folder)) {
      write(directory);
      // Contention is a matter of luck on few cores, above all on busy ones, and JFR has named a
      // monitor wrongly: one round that has the right one is enough.
      Set<String> contended = new LinkedHashSet<>();
      for (int round = 0; round < 100 && !namesFileChannel(contended); round++) {
        contended.addAll(contendedMonitors(directory, READS));
      }
      assertTrue(namesFileChannel(contended), contended::toString);
    }
  }

  private static boolean namesFileChannel(Set<String> contended) {
    return contended.stream().anyMatch(name -> name.contains("NativeThreadSet"));
  }

  private static void write(Directory directory) throws Exception {
    try (IndexOutput out = directory.createOutput("f", IOContext.DEFAULT)) {
      byte[] bytes = new byte[FILE_LENGTH];
      ThreadLocalRandom.current().nextBytes(bytes);
      out.writeBytes(bytes, bytes.length);
    }
  }

  /** Returns the classes of the monitors that readers had to wait for, and the methods that did. */
  private List<String> contendedMonitors(Directory directory, int reads) throws Exception {
    Path recorded = Files.createTempFile(folder, "contention", ".jfr");
    try (IndexInput master = directory.openInput("f", IOContext.DEFAULT);
        Recording recording = new Recording()) {
      recording.enable(MONITOR_ENTER).withThreshold(Duration.ZERO).withStackTrace();
      // JFR puts the names of an event's files into a pool that has a monitor of its own.
      recording.disable("dev.pread.BlockMiss");
      recording.start();
      readFromAllThreads(master, reads);
      recording.stop();
      recording.dump(recorded);
    }
    return RecordingFile.readAllEvents(recorded).stream()
        .filter(event -> event.getEventType().getName().equals(MONITOR_ENTER))
        .filter(event -> event.getThread() != null)
        .filter(event -> READER.equals(event.getThread().getJavaName()))
        .map(ReadContentionTest::monitorAndMethod)
        // A class that is rarely needed is loaded when it first is.
        .filter(monitor -> !monitor.contains("ClassLoader"))
        // The JVM takes a class's array of constants when a call in it is first made.
        .filter(monitor -> !monitor.startsWith("[Ljava.lang.Object;"))
        .distinct()
        .toList();
  }

  private static String monitorAndMethod(RecordedEvent event) {
    String monitor = event.getClass("monitorClass").getName();
    if (event.getStackTrace() == null) {
      return monitor;
    }
    RecordedMethod method = event.getStackTrace().getFrames().get(0).getMethod();
    return String.format(
        Locale.ROOT, "%s in %s.%s", monitor, method.getType().getName(), method.getName());
  }

  private static void readFromAllThreads(IndexInput master, int reads) throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService executor =
        Executors.newFixedThreadPool(THREADS, task -> new Thread(task, READER));
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        IndexInput input = master.clone();
        Callable<Integer> task =
            () -> {
              byte[] bytes = new byte[1024];
              int sum = 0;
              start.await();
              for (int i = 0; i < reads / THREADS; i++) {
                input.seek(ThreadLocalRandom.current().nextInt(FILE_LENGTH - bytes.length));
                input.readBytes(bytes, 0, bytes.length);
                sum += bytes[0];
              }
              return sum;
            };
        results.add(executor.submit(task));
      }
      start.countDown();
      for (Future<Integer> result : results) {
        result.get();
      }
    } finally {
      executor.shutdown();
    }
  }
}
