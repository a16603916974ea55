/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;

/**
 * Opens files as {@link Privileged}: that may load classes that need it, and start threads. Reading
 * and writing need nothing that the server has not. A script that reads may start no thread; then
 * nothing is read ahead, and the read itself goes on.
 */
final class PrivilegedDirectory extends FilterDirectory {

  PrivilegedDirectory(Directory in) {
    super(in);
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    return Privileged.open(() -> super.openInput(name, context));
  }

  @Override
  public IndexOutput createOutput(String name, IOContext context) throws IOException {
    return Privileged.open(() -> super.createOutput(name, context));
  }

  @Override
  public IndexOutput createTempOutput(String prefix, String suffix, IOContext context)
      throws IOException {
    return Privileged.open(() -> super.createTempOutput(prefix, suffix, context));
  }
}
