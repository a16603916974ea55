/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code workloads}: what key-value stores are measured by, on Lucene. Documents with dense keys
 * are loaded, looked up, scanned and overwritten; each slot is a JVM of its own within a memory
 * limit that the index exceeds.
 */
package dev.pread.benchmarks.scenario;
