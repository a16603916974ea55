/* SPDX-License-Identifier: Apache-2.0 */

/** What the plugins share. */
module dev.pread.plugin {
  requires transitive dev.pread;

  exports dev.pread.plugin;
}
