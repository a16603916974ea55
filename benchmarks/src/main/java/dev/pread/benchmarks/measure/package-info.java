/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Runs the same queries through each directory: once to check that all agree, a while to warm up,
 * then in rounds that take turns. Every answer is checked, in every round.
 */
package dev.pread.benchmarks.measure;
