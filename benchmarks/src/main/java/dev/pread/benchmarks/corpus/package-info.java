/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the text to index comes from: a folder, a zip or a tar archive, read as a stream of named
 * texts. Nothing is ever unpacked to disk, so an archive's names are only labels. No Lucene here.
 */
package dev.pread.benchmarks.corpus;
