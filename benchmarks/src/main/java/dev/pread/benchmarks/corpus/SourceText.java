/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

/**
 * One text file of a corpus.
 *
 * @param name its path inside the corpus; a label, not to be resolved against any file system
 * @param text its content
 */
public record SourceText(String name, String text) {}
