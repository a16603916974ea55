/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code native} and {@code output}: what single system calls cost through each backend and through
 * the JDK, and how many of them a writer makes.
 */
package dev.pread.benchmarks.calls;
