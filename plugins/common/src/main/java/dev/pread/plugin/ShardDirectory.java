/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import java.io.IOException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/**
 * The directory of a shard: opens files by the rules of its index, such as {@link OpenRules}, and
 * tells the node when it is closed.
 *
 * <p>It is as thread-safe as the directory inside.
 */
final class ShardDirectory extends FilterDirectory {

  private final BiFunction<String, IOContext, IOContext> rules;
  private final Consumer<ShardDirectory> whenClosed;

  /**
   * @param rules return the context to open a file with, for its name and the one that Lucene gave
   * @param whenClosed called on each close
   */
  ShardDirectory(
      Directory in,
      BiFunction<String, IOContext, IOContext> rules,
      Consumer<ShardDirectory> whenClosed) {
    super(in);
    this.rules = rules;
    this.whenClosed = whenClosed;
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    return super.openInput(name, rules.apply(name, context));
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
