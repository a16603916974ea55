/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FileSwitchDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;

/**
 * How the files of a shard are opened: as Lucene wants it, and as its index and its server do.
 * Merges are left alone, since what they read is gone before it is read again.
 *
 * @param preload the extensions of files, without the dot, or "*" for all: what {@code
 *     index.store.preload} names. The kernel is told to read these files into the page cache at
 *     once; directories that read past it ignore that.
 * @param notPreloaded hints of files that are not preloaded in any case, beside those that are read
 *     once
 * @param notRandom hints by which the server says that a file is not read at random, whatever
 *     Lucene says of its kind
 */
public record OpenRules(
    Set<String> preload,
    Set<IOContext.FileOpenHint> notPreloaded,
    Set<IOContext.FileOpenHint> notRandom)
    implements BiFunction<String, IOContext, IOContext> {

  private static final String ALL = "*";

  /** Returns the context to open a file with, for the one that Lucene gave. */
  @Override
  public IOContext apply(String name, IOContext context) {
    if (context.context() != IOContext.Context.DEFAULT) {
      return context;
    }
    Set<IOContext.FileOpenHint> hints = new HashSet<>(context.hints());
    if (hints.stream().anyMatch(notRandom::contains)) {
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
    return !preload.isEmpty()
        && !hints.contains(ReadOnceHint.INSTANCE)
        && hints.stream().noneMatch(notPreloaded::contains)
        && (preload.contains(ALL) || preload.contains(FileSwitchDirectory.getExtension(name)));
  }
}
