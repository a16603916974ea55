/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command line of the runnable benchmark jar: {@code compare}, which indexes a real corpus and
 * searches it through several directories, {@code trace}, which records what searches read and
 * replays it through eviction policies, and {@code jmh}, which hands over to JMH. Everything a user
 * can get wrong ends in a {@link dev.pread.benchmarks.UserError}: one line, exit code 2.
 */
package dev.pread.benchmarks;
