/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is asked of an index: the kinds of queries, drawn from the index's own terms, points and
 * vectors, so that they fit a foreign index as well as one that was built here; and the checksum
 * that each answer is folded into. Knows nothing of directories or clocks.
 */
package dev.pread.benchmarks.workload;
