/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FileSwitchDirectory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;
import org.elasticsearch.index.StandardIOBehaviorHint;
import org.elasticsearch.index.store.Store;

/**
 * A directory that is on the node's list while it is open, and that opens files as the index asks
 * for.
 *
 * <ul>
 *   <li>Files with an extension of {@code index.store.preload} ({@code *}: all) are opened with
 *       {@link PreloadHint}: the kernel is told to read them into the page cache at once. Not with
 *       {@code pread_direct}, which does not read from there.
 *   <li>{@link StandardIOBehaviorHint} is the server's way to say that a file is not read at
 *       random, whatever Lucene says of its kind.
 * </ul>
 */
final class ShardDirectory extends FilterDirectory {

  private static final String ALL = "*";

  private final FSDirectory files;
  private final OpenDirectories directories;
  private final Set<String> preload;

  /**
   * @param files closed with this
   * @param preload extensions without a dot
   */
  ShardDirectory(FSDirectory files, OpenDirectories directories, Set<String> preload) {
    super(files);
    this.files = files;
    this.directories = directories;
    this.preload = preload;
    directories.opened(files);
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    return super.openInput(name, adjusted(name, context));
  }

  private IOContext adjusted(String name, IOContext context) {
    if (context.context() != IOContext.Context.DEFAULT) {
      return context;
    }
    Set<IOContext.FileOpenHint> hints = new HashSet<>(context.hints());
    if (hints.contains(StandardIOBehaviorHint.INSTANCE)) {
      hints.remove(DataAccessHint.RANDOM);
    }
    if (isPreloaded(name, hints)) {
      hints.add(PreloadHint.INSTANCE);
    }
    return hints.equals(context.hints())
        ? context
        : context.withHints(hints.toArray(IOContext.FileOpenHint[]::new));
  }

  private boolean isPreloaded(String name, Set<IOContext.FileOpenHint> hints) {
    if (preload.isEmpty()
        || hints.contains(ReadOnceHint.INSTANCE)
        || hints.contains(Store.FileFooterOnly.INSTANCE)) {
      // Read once, or only the last bytes of it.
      return false;
    }
    return preload.contains(ALL) || preload.contains(FileSwitchDirectory.getExtension(name));
  }

  @Override
  public void close() throws IOException {
    directories.closed(files);
    super.close();
  }
}
