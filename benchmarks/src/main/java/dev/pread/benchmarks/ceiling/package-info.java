/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What no directory can beat: the device under fio, and a copy in memory. Reports show figures as
 * fractions of it, and figures above it fail a run.
 */
package dev.pread.benchmarks.ceiling;
