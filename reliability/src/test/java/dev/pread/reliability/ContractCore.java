/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.BackendRegistry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.NIOFSDirectory;

/**
 * A JVM that puts both directories through what they are for, on each backend: files and an index
 * are written, read back in all ways, searched, and deleted. What was read is compared with what
 * was written, or with what the JDK and Lucene's own directory read; in the end no descriptor and
 * no slot is missing. It prints one line for each directory that did everything right, and one
 * about the machine.
 */
final class ContractCore {

  /** Bytes of the caches; a negative number for one that adapts. */
  static final String CACHE_PROPERTY = "sandbox.cache.bytes";

  /** Blocks of the caches where nothing is said: so few that some have to go. */
  static final int CACHE_BLOCKS = 128;

  static final int BLOCK_BYTES = 4096;

  /** How the line begins that says, after everything was right, where that was. */
  static final String ENVIRONMENT = "environment";

  private final String backend;
  private final boolean direct;

  private ContractCore(String backend, boolean direct) {
    this.backend = backend;
    this.direct = direct;
  }

  /** What it does, the name of which is the first argument; the second is a folder. */
  enum Task {
    /** Writes, reads, searches and deletes. */
    EVERYTHING,
    /** Reads and searches what {@link #prepare} has left; writing has to be refused. */
    READ_ONLY,
    /** Everything; then opens inputs until there is no descriptor left, and reads on. */
    DESCRIPTORS,
    /** Makes a cache that was not given a size, and prints it. */
    CACHE
  }

  /** Prints a line for each backend and directory. */
  public static void main(String[] args) throws Exception {
    if (Task.valueOf(args[0]) == Task.CACHE) {
      try (BlockCache cache = new BlockCache()) {
        System.out.println(cache);
      }
      return;
    }
    Path folder = Path.of(args[1]);
    for (String backend : BackendRegistry.names()) {
      try {
        BackendRegistry.get(backend);
      } catch (IllegalStateException e) {
        System.out.println("unavailable " + backend + ": " + e.getMessage());
        continue;
      }
      for (boolean direct : new boolean[] {false, true}) {
        new ContractCore(backend, direct).run(Task.valueOf(args[0]), folder);
      }
    }
    if (Task.valueOf(args[0]) == Task.EVERYTHING) {
      System.out.println(
          ENVIRONMENT
              + " fs="
              + Files.getFileStore(folder).type()
              + " java="
              + Runtime.version().feature()
              + " arch="
              + System.getProperty("os.arch"));
    }
  }

  /** Leaves files and an index in {@code folder}. */
  static void prepare(Path folder) throws IOException {
    try (FSDirectory directory = new NIOFSDirectory(folder)) {
      Workload.writeFiles(directory);
      Workload.writeIndex(directory, true);
    }
  }

  private void run(Task task, Path parent) throws Exception {
    Path folder = parent;
    if (task != Task.READ_ONLY) {
      folder = Files.createDirectories(parent.resolve(backend + direct));
    }
    try (BlockCache cache = cache()) {
      String verdict;
      try (FSDirectory directory = open(folder, cache)) {
        if (task != Task.READ_ONLY) {
          Workload.writeFiles(directory);
          Workload.writeIndex(directory, task != Task.DESCRIPTORS);
        }
        Workload.readFiles(directory);
        Workload.search(directory);
        if (task == Task.READ_ONLY) {
          refuseWriting(directory);
        } else if (task == Task.DESCRIPTORS) {
          exhaustDescriptors(directory);
        }
        verdict = verdict(directory);
        if (task != Task.READ_ONLY) {
          Workload.deleteAll(directory);
        }
      }
      if (cache.stats().capacity() == cacheBytes() / BLOCK_BYTES) {
        Fixtures.checkAllSlotsCanBeHad(cache);
      }
      Workload.check(
          0L, BackendRegistry.get(backend).openFiles(), "files that the backend has open");
      Workload.check(0L, Fixtures.descriptorsIn(folder), "descriptors");
      System.out.println(
          verdict
              + " cached="
              + (cache.stats().bytesRead() > 0)
              + " capacity="
              + cache.stats().capacity());
    }
  }

  private static BlockCache cache() {
    long bytes = cacheBytes();
    return bytes < 0
        ? BlockCache.builder().blockSize(BLOCK_BYTES).build()
        : new BlockCache(bytes, BLOCK_BYTES);
  }

  private static long cacheBytes() {
    return Long.getLong(CACHE_PROPERTY, CACHE_BLOCKS * BLOCK_BYTES);
  }

  private FSDirectory open(Path folder, BlockCache cache) throws IOException {
    PreadConfig config =
        PreadConfig.builder().backend(backend).cache(cache).directWriteMinSize(0).build();
    return direct
        ? new DirectPreadDirectory(folder, FSLockFactory.getDefault(), config)
        : new PreadDirectory(folder, FSLockFactory.getDefault(), config);
  }

  private String verdict(FSDirectory directory) throws Exception {
    boolean usesPageCache = directory instanceof DirectPreadDirectory d && d.usesPageCache();
    Workload.check(
        usesPageCache, directory.toString().contains("page cache"), directory.toString());
    Path file = directory.getDirectory().resolve(Workload.files(directory).get(0));
    return "right backend="
        + backend
        + " direct="
        + direct
        + " usesPageCache="
        + usesPageCache
        + " opened="
        + isOpenedDirectly(directory, file)
        + " possible="
        + isDirectPossible(file)
        + " ahead="
        + readAhead(directory);
  }

  /** Returns what the directory says that it reads ahead by, after it has read ahead. */
  private static String readAhead(FSDirectory directory) throws IOException {
    for (String name : Workload.files(directory)) {
      try (IndexInput input = directory.openInput(name, IOContext.DEFAULT)) {
        for (int i = 0; i < 20; i++) {
          input.prefetch(input.length() * i / 20, 1);
        }
      }
    }
    Workload.readFiles(directory);
    String said = directory.toString();
    int at = said.indexOf(" prefetch=");
    return at < 0 ? "none" : said.substring(at + " prefetch=".length());
  }

  /** Returns whether the descriptor of an input has {@code O_DIRECT}, as the kernel tells. */
  private static boolean isOpenedDirectly(Directory directory, Path file) throws IOException {
    try (IndexInput input = directory.openInput(file.getFileName().toString(), IOContext.DEFAULT);
        DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      Workload.check((long) Workload.FILE_BYTES, input.length(), "length");
      for (Path descriptor : descriptors) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).equals(file.toRealPath())) {
          return (Fixtures.openFlags(descriptor) & Fixtures.directFlag()) != 0;
        }
      }
      throw new AssertionError("no descriptor of " + file);
    }
  }

  /** Returns whether the file system takes {@code O_DIRECT}, as the JDK finds it. */
  private static boolean isDirectPossible(Path file) throws Exception {
    // It is found by its name, since it is of a package that compilers warn of.
    OpenOption directOption =
        (OpenOption)
            Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, directOption)) {
      return channel.isOpen();
    } catch (FileSystemException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static void refuseWriting(FSDirectory directory) throws IOException {
    Path file = directory.getDirectory().resolve("new");
    for (IOContext context : Workload.WRITE_CONTEXTS) {
      try (IndexOutput output = directory.createOutput("new", context)) {
        throw new AssertionError("created " + output);
      } catch (FileSystemException e) {
        Workload.check(file.toString(), e.getFile(), e.toString());
        Workload.check(true, e.getReason().contains("EROFS"), e.toString());
      }
    }
  }

  private static void exhaustDescriptors(FSDirectory directory) throws IOException {
    List<IndexInput> inputs = new ArrayList<>();
    try {
      while (true) {
        inputs.add(directory.openInput("file0", IOContext.DEFAULT));
        Workload.check(true, inputs.size() < 64, "so many descriptors with ulimit -n 64");
      }
    } catch (FileSystemException e) {
      Workload.check(true, e.getReason().contains("EMFILE"), e.toString());
      Workload.check(
          directory.getDirectory().resolve("file0").toString(), e.getFile(), e.toString());
      byte[] read = new byte[Workload.FILE_BYTES];
      inputs.get(0).readBytes(read, 0, Workload.FILE_BYTES);
      Workload.check(true, Arrays.equals(Workload.content(0), read), "what is open goes on");
    } finally {
      for (IndexInput input : inputs) {
        input.close();
      }
    }
    Workload.readFiles(directory);
  }
}
