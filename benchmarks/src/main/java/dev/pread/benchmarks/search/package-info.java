/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The commands that search an index through several directories in turn. {@code compare} asks
 * Lucene's queries in this process, while everything is resident. {@code workloads} is what
 * key-value stores are measured by: documents with dense keys are loaded, looked up, scanned and
 * overwritten, each slot in a JVM of its own within a memory limit that the index exceeds. Beside
 * that it searches the nearest neighbours of vectors.
 */
package dev.pread.benchmarks.search;
