/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is measured with: the device, memory limits, what the kernel counts, and JVMs of their own
 * for single measurements, which are told what to do and answer.
 */
package dev.pread.benchmarks.machine;
