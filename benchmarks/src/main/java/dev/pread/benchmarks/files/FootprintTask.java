/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.util.IOUtils;

/**
 * Opens files, makes clones of each and reads something with every clone; holds them all and asks
 * the kernel what that takes.
 *
 * @param directory by name
 * @param folder with the files
 * @param files named by {@link #file}
 * @param clones in all
 * @param seed of what is read
 */
record FootprintTask(String directory, String folder, int files, int clones, long seed)
    implements ChildTask<List<Figures>> {
  private static final int READ = 16;
  private static final int COLLECTIONS = 3;

  private record Conditions(int clones, int files) {}

  /**
   * The memory of a process, in bytes; -1 for what the kernel does not tell.
   *
   * @param rss all that is resident
   * @param anonymous of that, what is no file
   * @param heap used after a collection
   */
  private record Memory(long rss, long anonymous, long heap) {
    static Memory now() {
      for (int i = 0; i < COLLECTIONS; i++) {
        System.gc();
      }
      Runtime runtime = Runtime.getRuntime();
      return new Memory(
          ProcessFigures.status("VmRSS"),
          ProcessFigures.status("RssAnon"),
          runtime.totalMemory() - runtime.freeMemory());
    }
  }

  /** The name of a file, by its number. */
  static String file(int number) {
    return "file" + number;
  }

  /** A collection gives back what is free: else garbage of before would hide what is added. */
  @Override
  public List<String> heapOptions(long bytes) {
    return List.of("-XX:MinHeapFreeRatio=5", "-XX:MaxHeapFreeRatio=10");
  }

  @Override
  public List<Figures> run() throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    // One for all reads: garbage of this task's own would leave heap behind that counts as
    // resident.
    byte[] bytes = new byte[READ];
    List<IndexInput> inputs = new ArrayList<>(files);
    IndexInput[] held = new IndexInput[clones];
    FSDirectory opened = DirectoryKind.named(directory).openForReading(Path.of(folder));
    try {
      // Classes and the directory's own buffers are there before the first figure is taken.
      try (IndexInput first = opened.openInput(file(0), IOContext.DEFAULT)) {
        read(first.clone(), bytes, random);
      }
      Memory before = Memory.now();
      for (int i = 0; i < files; i++) {
        inputs.add(opened.openInput(file(i), IOContext.DEFAULT));
      }
      Memory withFiles = Memory.now();
      for (int i = 0; i < clones; i++) {
        held[i] = inputs.get(i % files).clone();
        read(held[i], bytes, random);
      }
      return List.of(figures(before, withFiles, Memory.now()));
    } finally {
      Reference.reachabilityFence(held);
      IOUtils.close(inputs);
      opened.close();
    }
  }

  /**
   * What the process takes.
   *
   * @param before with the directory open, and one file used
   * @param opened with all files open
   * @param after with all clones too
   */
  private Figures figures(Memory before, Memory opened, Memory after) {
    Figures figures = Figures.under(new Conditions(clones, files));
    figures.addKnown(Metric.fact("RSS before", "bytes"), before.rss());
    if (before.rss() >= 0) {
      figures.add(Metric.cost("RSS added", "bytes"), (double) after.rss() - before.rss());
      figures.add(
          Metric.cost("of that anonymous", "bytes"),
          (double) after.anonymous() - before.anonymous());
      figures.add(
          Metric.listedCost("bytes per clone", "bytes"),
          (after.anonymous() - opened.anonymous()) / (double) clones);
    }
    figures.add(Metric.cost("on the heap", "bytes"), (double) after.heap() - before.heap());
    return figures;
  }

  private static void read(IndexInput in, byte[] bytes, SplittableRandom random)
      throws IOException {
    long position = random.nextLong(in.length() / READ) * READ;
    in.seek(position);
    in.readBytes(bytes, 0, READ);
    DataPattern.check(bytes, position, READ);
  }
}
