/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.harness.ProcessFigures;
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
import picocli.CommandLine.Command;

/** Measures the memory that open files and live clones take. */
@Command(name = "footprint")
final class FootprintCommand extends PressureCommand.Part {
  private static final long FILE_BYTES = 256 << 10;
  private static final double SECONDS = 60;

  private int clones;
  private int files;

  @Override
  public void check(SuiteOptions options) {
    boolean quick = options.quick();
    check(options, 0, (quick ? 256 : 1024) * MEBI);
    clones = quick ? 20_000 : 100_000;
    files = quick ? 10 : 1000;
  }

  @Override
  protected void measureOnBed() throws IOException {
    for (int i = 0; i < files; i++) {
      data(FootprintTask.file(i), FILE_BYTES, (files - i) * FILE_BYTES);
    }
    session.note(
        name() + ": files are mapped memory, which the kernel can take back, unlike the rest");
    String folder = bed.folder().path().toString();
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) ->
            run(
                kind.contender(),
                new FootprintTask(kind.name(), folder, files, clones),
                SECONDS,
                ChildJvm.Result::value));
  }

  /**
   * Opens files, makes clones of each and reads something with every clone; holds them all and asks
   * the kernel what that takes.
   */
  record FootprintTask(String directory, String folder, int files, int clones)
      implements ChildJvm.Task<List<Figures>> {
    private static final int READ = 16;
    private static final int COLLECTIONS = 3;

    private record Conditions(int clones, int files) {}

    /** Holds the memory of a process, in bytes: all, what is no file, and the heap in use. */
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

    static String file(int number) {
      return "file" + number;
    }

    /**
     * Lets a collection give back what is free: else garbage of before would hide what is added.
     */
    @Override
    public List<String> jvmOptions() {
      return List.of("-Xms8m", "-XX:MinHeapFreeRatio=5", "-XX:MaxHeapFreeRatio=10");
    }

    @Override
    public List<Figures> run() throws IOException {
      SplittableRandom random = new SplittableRandom(SEED);
      // One for all reads: garbage of this task's own would leave resident heap behind.
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

    /** Computes what is added to the process by files that are opened, and clones after them. */
    private Figures figures(Memory before, Memory opened, Memory after) {
      Figures figures = Figures.under(new Conditions(clones, files));
      figures.addKnown(Metric.fact("RSS before", "bytes"), before.rss());
      if (before.rss() >= 0) {
        double anonymous = after.anonymous() - before.anonymous();
        double perClone = (after.anonymous() - opened.anonymous()) / (double) clones;
        figures.add(Metric.cost("RSS added", "bytes"), (double) after.rss() - before.rss());
        figures.add(Metric.cost("of that anonymous", "bytes"), anonymous);
        figures.add(Metric.listedCost("bytes per clone", "bytes"), perClone);
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
}
