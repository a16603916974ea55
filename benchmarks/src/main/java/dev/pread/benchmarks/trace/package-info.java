/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Traces of the blocks of an index that Lucene reads: a directory that records them, the file
 * format, the workloads to record, and the replay of a trace through the policies of {@link
 * dev.pread.benchmarks.policy}.
 */
package dev.pread.benchmarks.trace;
