/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Keeps what a run measured, and shows it to people. {@link dev.pread.benchmarks.report.Run} is a
 * plain record that travels as JSON: every raw sample, on what machine, by which command, what was
 * left out and why. {@link dev.pread.benchmarks.report.Sheet} puts its figures in order and {@link
 * dev.pread.benchmarks.report.Duel} judges them, for the terminal and for the page alike; what the
 * page looks like is in {@code page.js}, {@code plots.js} and {@code page.css}, beside the classes.
 * Nothing here knows how the figures were taken.
 */
package dev.pread.benchmarks.report;
