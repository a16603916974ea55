/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.util.Locale;

/** The values of {@code index.store.type} that this plugin brings. */
enum StoreType {
  /** Through the page cache, with the block cache before it. */
  PREAD,

  /** Past the page cache, where the file system allows it: the block cache alone. */
  PREAD_DIRECT;

  /** The value as it is written in settings. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
