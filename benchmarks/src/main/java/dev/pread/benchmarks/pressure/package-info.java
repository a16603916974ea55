/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Directories under memory pressure: each slot of a measurement is a JVM of its own in a memory
 * cgroup of its own, started and watched by the command, which also pins the device's read-ahead,
 * empties the page cache, and puts everything back whatever happens.
 */
package dev.pread.benchmarks.pressure;
