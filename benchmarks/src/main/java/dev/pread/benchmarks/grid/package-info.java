/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The grid of reads that others have measured, for any machine: sixteen reads at a time, at random
 * or in a row, by every way to read a file there is, where the file fits into memory, just does
 * not, exceeds it, or is cold. JMH measures, each fork within a memory cgroup; this package
 * arranges it, checks every way's bytes, and fails a run whose figures cannot be true.
 */
package dev.pread.benchmarks.grid;
