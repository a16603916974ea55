/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a measurement changes of the machine and puts back, and what it asks the kernel: cgroups,
 * read-ahead, the page cache, scratch folders, limited processes.
 */
package dev.pread.benchmarks.machine;
