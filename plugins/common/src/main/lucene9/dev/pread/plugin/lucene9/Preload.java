/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin.lucene9;

import java.util.Set;
import java.util.function.BiFunction;
import org.apache.lucene.store.FileSwitchDirectory;
import org.apache.lucene.store.IOContext;

/**
 * How the files of a shard are opened in a server with Lucene 9: as Lucene wants it, and those that
 * {@code index.store.preload} names are read into the page cache at once; directories that read
 * past it ignore that. Merges and what is read once are left alone. What is preloaded is read at
 * random: this version of Lucene has one context for both.
 *
 * @param extensions the extensions of files, without the dot, or "*" for all
 */
public record Preload(Set<String> extensions) implements BiFunction<String, IOContext, IOContext> {

  private static final String ALL = "*";

  /** Returns the context to open a file with, for the one that Lucene gave. */
  @Override
  public IOContext apply(String name, IOContext context) {
    boolean isForSearches =
        !context.readOnce
            && (context.context == IOContext.Context.DEFAULT
                || context.context == IOContext.Context.READ);
    boolean isNamed =
        extensions.contains(ALL) || extensions.contains(FileSwitchDirectory.getExtension(name));
    return isForSearches && isNamed ? IOContext.LOAD : context;
  }
}
