/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;

/** Logs what Lucene does to names without asking the backend: rename, delete and link. */
final class LoggedFileSystem extends FilterFileSystemProvider {

  private final OperationLog log;

  LoggedFileSystem(OperationLog log) {
    super("logged://", FileSystems.getDefault());
    this.log = log;
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    super.move(source, target, options);
    log.rename(toDelegate(source), toDelegate(target));
  }

  @Override
  public void delete(Path path) throws IOException {
    super.delete(path);
    log.unlink(toDelegate(path));
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    boolean deleted = super.deleteIfExists(path);
    if (deleted) {
      log.unlink(toDelegate(path));
    }
    return deleted;
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    super.createLink(link, existing);
    log.link(toDelegate(existing), toDelegate(link));
  }
}
