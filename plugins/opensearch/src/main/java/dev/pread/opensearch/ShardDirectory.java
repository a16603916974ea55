/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.DirectPreadDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.lucene.index.IndexFileNames;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;

/**
 * The directory of a shard: tells the node when it is closed, and asks for the files that {@code
 * index.store.preload} names to be preloaded.
 *
 * <p>Thread-safe as the directory inside.
 */
final class ShardDirectory extends FilterDirectory {

  private static final String ALL = "*";

  private final StoreType type;
  private final Set<String> preload;
  private final Consumer<ShardDirectory> whenClosed;

  /**
   * @param preload the extensions of files, without the dot, or "*"
   * @param whenClosed called on each close
   */
  ShardDirectory(
      Directory in, StoreType type, Set<String> preload, Consumer<ShardDirectory> whenClosed) {
    super(in);
    this.type = type;
    this.preload = preload;
    this.whenClosed = whenClosed;
  }

  StoreType type() {
    return type;
  }

  /** Whether files that were to be read past the page cache go through it. */
  boolean fellBack() {
    return in instanceof DirectPreadDirectory direct && direct.usesPageCache();
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    return super.openInput(name, isPreloaded(name, context) ? preloading(context) : context);
  }

  /** What a merge reads, and what is read once, is gone before it is read again. */
  private boolean isPreloaded(String name, IOContext context) {
    return !preload.isEmpty()
        && context.context() == IOContext.Context.DEFAULT
        && !context.hints().contains(ReadOnceHint.INSTANCE)
        && (preload.contains(ALL) || preload.contains(IndexFileNames.getExtension(name)));
  }

  private static IOContext preloading(IOContext context) {
    if (context.hints().contains(PreloadHint.INSTANCE)) {
      return context;
    }
    List<IOContext.FileOpenHint> hints = new ArrayList<>(context.hints());
    hints.add(PreloadHint.INSTANCE);
    return context.withHints(hints.toArray(IOContext.FileOpenHint[]::new));
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      whenClosed.accept(this);
    }
  }
}
