/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What people get to see: progress, the tables of a run or of two runs compared, and the same as a
 * page. {@link dev.pread.benchmarks.report.Sheet} puts the figures of a run in order and {@link
 * dev.pread.benchmarks.report.Duel} judges them, for the terminal and for the page alike; what the
 * page looks like is in {@code page.js}, {@code plots.js} and {@code page.css}, beside the classes.
 */
package dev.pread.benchmarks.report;
