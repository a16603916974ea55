/* SPDX-License-Identifier: Apache-2.0 */
/** Benchmarks of single operations under JMH; run them with the {@code jmh} command. */
package dev.pread.benchmarks.jmh;
