/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Lucene's own test suites on our directory: the shared contract of directories and lock factories,
 * threaded indexing and searching, and the codecs' suites, which write and read every kind of index
 * file. The build sets {@code -Dtests.directory=dev.pread.PreadDirectory}; {@link
 * dev.pread.lucene.TestSuitesUsePreadDirectory} proves that it took effect.
 */
package dev.pread.lucene;
