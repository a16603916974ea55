/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Measures whole files, below any index: {@code grid} reads them in every way there is, {@code
 * streams} and {@code output} write them, {@code native} makes single system calls, {@code
 * safepoints} waits for the disk, {@code pressure} is about directories for which memory is short,
 * and {@code ceiling} measures what no directory can beat. JMH measures wherever it can, in a JVM
 * of its own, which is in a memory cgroup where there is a memory limit; every byte is checked.
 */
package dev.pread.benchmarks.files;
