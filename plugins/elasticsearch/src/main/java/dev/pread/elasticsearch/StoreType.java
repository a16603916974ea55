/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockFactory;

/** What {@code index.store.type} can be by this plugin. */
enum StoreType {
  /** Through the page cache, with the block cache in front of it. */
  PREAD {
    @Override
    FSDirectory open(Path path, LockFactory locks, PreadConfig config) throws IOException {
      return new PreadDirectory(path, locks, config);
    }
  },

  /** Past the page cache where the file system can do that: the block cache is all there is. */
  PREAD_DIRECT {
    @Override
    FSDirectory open(Path path, LockFactory locks, PreadConfig config) throws IOException {
      return new DirectPreadDirectory(path, locks, config);
    }
  };

  /** As it is written in {@code index.store.type}. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A directory, which the caller closes. */
  abstract FSDirectory open(Path path, LockFactory locks, PreadConfig config) throws IOException;
}
