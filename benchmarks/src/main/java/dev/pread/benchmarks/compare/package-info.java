/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code compare}: searches one index through several directories in turn, and shows
 * them side by side.
 */
package dev.pread.benchmarks.compare;
