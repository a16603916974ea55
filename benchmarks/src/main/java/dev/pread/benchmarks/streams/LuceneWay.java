/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOUtils;

/**
 * {@code IndexOutput} and {@code IndexInput} of a directory, which is told what is to come: a flush
 * of that length, and a file that is read once. Its buffers have their own sizes; what is asked for
 * is the length of the arrays.
 */
final class LuceneWay implements StreamWay {
  private final DirectoryKind kind;
  private boolean fellBack;

  /**
   * @param directory by its short name
   */
  LuceneWay(String directory) throws UserError {
    this.kind = DirectoryKind.named(directory);
  }

  @Override
  public Sink create(Path file, long length, int buffer) throws IOException {
    Directory directory = kind.openForReading(file.getParent());
    IOContext context = IOContext.flush(new FlushInfo(1, length));
    IndexOutput out = directory.createOutput(file.getFileName().toString(), context);
    return new Sink() {
      @Override
      public void write(byte[] block, int count) throws IOException {
        out.writeBytes(block, 0, count);
      }

      @Override
      public void close() throws IOException {
        IOUtils.close(out, () -> done(directory));
      }
    };
  }

  @Override
  public Source open(Path file, int buffer) throws IOException {
    Directory directory = kind.openForReading(file.getParent());
    IndexInput in = directory.openInput(file.getFileName().toString(), IOContext.READONCE);
    return new Source() {
      @Override
      public void read(byte[] block, int count) throws IOException {
        in.readBytes(block, 0, count);
      }

      @Override
      public void close() throws IOException {
        IOUtils.close(in, () -> done(directory));
      }
    };
  }

  @Override
  public void sync(Path file) throws IOException {
    try (Directory directory = kind.openForReading(file.getParent())) {
      directory.sync(List.of(file.getFileName().toString()));
    }
  }

  private void done(Directory directory) throws IOException {
    fellBack |= directory instanceof DirectPreadDirectory direct && direct.fellBack();
    directory.close();
  }

  @Override
  public String pretends() {
    return fellBack
        ? "it fell back to the page cache: it needs the ffm backend, and a file system with"
            + " O_DIRECT (--work)"
        : null;
  }
}
