/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.JavaOptions;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOFunction;

/**
 * Does what the commands of this package do alike: they run tasks in JVMs of their own and record
 * what comes back.
 */
abstract class FileCommand extends SuiteCommand {
  /** The heap of a JVM that has nothing of what is measured there but some buffers. */
  static final long HEAP = 128 * MEBI;

  /** A rate slower than any disk's, for the time limit of a child. */
  static final double SLOW_BYTES_PER_SECOND = 20e6;

  static final Metric BYTES = Metric.throughput("MB/s");

  static final Metric READS = Metric.throughput("reads/ms");

  private static final Kernel.Shape PROBE = new Kernel.Shape(Order.FILE, 4096, 0, Kernel.READS);

  /** Writes a file of {@link DataPattern}, and leaves room for more. */
  final Path data(String name, long bytes, long more) throws IOException {
    bed.folder().require(bytes + more);
    Path file = bed.folder().path().resolve(name);
    session.progress().start("writing " + name);
    DataPattern.write(
        file,
        bytes,
        offset -> session.progress().update(offset / (double) bytes, ByteSize.format(offset)));
    return file;
  }

  /** Returns what tasks run in: JVMs without options of their own. */
  ChildJvm jvm() {
    return new ChildJvm(session.main(), bed, HEAP, new JavaOptions());
  }

  /**
   * Runs a task in a JVM of its own, and records what it measured.
   *
   * @param seconds it should take
   * @param figures makes them of its result
   */
  final <T> void run(
      Contender contender,
      ChildJvm.Task<T> task,
      double seconds,
      IOFunction<ChildJvm.Result<T>, List<Figures>> figures)
      throws IOException {
    for (Figures some : figures.apply(jvm().run(contender.name(), task, seconds))) {
      session.recorder().add(name(), contender, some);
    }
  }

  /** Checks the length of a file to measure, in bytes, and fills in its default. */
  static long fileLength(String option, Long named, long otherwise) {
    long length = named == null ? otherwise : named;
    if (length < MEBI || length % MEBI != 0) {
      throw new UserError(option + " is " + length + ": it must be a multiple of 1m");
    }
    return length;
  }

  /** Checks that reads may have this length, in bytes. */
  static void checkRead(int bytes, int unit) {
    if (bytes < unit || bytes > MEBI || bytes % unit != 0) {
      throw new UserError(
          "--bytes " + bytes + " is no length of a read: use multiples of " + unit + " up to 1m");
    }
  }

  /** Returns the ways in which a file can be read here, and records the others as left out. */
  final List<Way> available(Collection<Way> ways, Path file) throws IOException {
    List<Way> available = new ArrayList<>();
    for (Way way : ways) {
      String why = tryRead(way, file);
      if (why == null) {
        available.add(way);
      } else {
        String remedy = ": use the ffm or jni backend, and --work on a file system with O_DIRECT";
        session.skip(name() + ": " + way, why + (way.needsDirectIo() ? remedy : ""));
      }
    }
    return available;
  }

  /** Reads the beginning of a file, and returns why that can't be done here; null if it can. */
  private static String tryRead(Way way, Path file) throws IOException {
    if (way == Way.MEMCPY) {
      return null;
    }
    try (Source source = way.open(file, PROBE.bytes(), IOContext.DEFAULT)) {
      new Kernel(source.reader(), PROBE, 16L * PROBE.bytes(), null).run(false);
      return source.usesPageCache() ? "it uses the page cache" : null;
    } catch (IllegalStateException | UnsupportedOperationException | LinkageError e) {
      return e.toString();
    } catch (IOException e) {
      if (!way.needsDirectIo()) {
        throw e;
      }
      return e.toString();
    }
  }
}
