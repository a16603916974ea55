/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code pressure}: what directories suffer where memory is short, and what they take of it. Each
 * slot is a JVM of its own.
 */
package dev.pread.benchmarks.pressure;
