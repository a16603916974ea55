/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockFactory;

/** The values of {@code index.store.type} that the plugins bring. */
public enum StoreType {
  /** Reads through the page cache, with the block cache before it. */
  PREAD,

  /** Reads past the page cache, where the file system allows it: the block cache is all it has. */
  PREAD_DIRECT;

  /** Returns the value as it is written in settings. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Opens a directory, which the caller closes. */
  FSDirectory open(Path path, LockFactory locks, PreadConfig config) throws IOException {
    return this == PREAD
        ? new PreadDirectory(path, locks, config)
        : new DirectPreadDirectory(path, locks, config);
  }
}
