/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code streams}: a whole file written and read in a row, through Java's streams and channels and
 * through Lucene's outputs and inputs.
 */
package dev.pread.benchmarks.streams;
