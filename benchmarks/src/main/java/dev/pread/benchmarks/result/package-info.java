/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a run of the suite measured, as plain records that travel as JSON: every raw sample, on what
 * machine, with which settings, what was left out and why. Everything that shows figures reads
 * these; nothing here knows how they were taken.
 */
package dev.pread.benchmarks.result;
