/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.index.DirectoryKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;

/**
 * Small writes through one directory's output, and the write calls that the process makes for them.
 * A file that is not measured comes first, so that classes are loaded and compiled.
 *
 * @param directory by name
 * @param folder for the files, which are gone afterwards
 * @param length of the file, in bytes
 * @param ask whether the position is asked for after every write
 * @param seed of the sizes of the writes
 */
record OutputTask(String directory, String folder, long length, boolean ask, long seed)
    implements ChildTask<OutputTask.Result> {
  private static final String NAME = "written";

  /**
   * What was measured.
   *
   * @param nanos from before the file is made until it is closed
   * @param writes that were made into the output
   * @param writeCalls that the process made; -1 if the kernel does not tell
   * @param fellBack whether a file that was to be written directly was not
   */
  record Result(long nanos, long writes, long writeCalls, boolean fellBack) {}

  @Override
  public String taskName() {
    return "output";
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError {
    write();
    return write();
  }

  private Result write() throws IOException, UserError {
    Path path = Path.of(folder);
    Path file = path.resolve(NAME);
    try (Directory opened = DirectoryKind.named(directory).openForReading(path)) {
      SmallWrites writes = new SmallWrites(length, seed);
      Optional<ProcessIo> before = ProcessIo.read();
      long start = System.nanoTime();
      long count;
      try (IndexOutput out = opened.createOutput(NAME, IOContext.flush(new FlushInfo(1, length)))) {
        count = writes.write(out, ask);
      }
      long nanos = System.nanoTime() - start;
      Optional<ProcessIo> after = ProcessIo.read();
      new SmallWrites(length, seed).verify(file);
      long calls =
          before.isPresent() && after.isPresent()
              ? after.get().minus(before.get()).writeCalls()
              : -1;
      boolean fellBack = opened instanceof DirectPreadDirectory direct && direct.usesPageCache();
      return new Result(nanos, count, calls, fellBack);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
