/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is measured with: the device, memory limits, what the kernel counts, JVMs of their own for
 * single measurements, which are told what to do and answer, and threads and rates to load them
 * with.
 */
package dev.pread.benchmarks.machine;
