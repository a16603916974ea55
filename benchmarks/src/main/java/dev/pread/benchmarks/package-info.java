/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command line of the runnable benchmark jar: {@code compare}, which indexes a real corpus and
 * searches it through several directories, {@code all}, which runs the suite, {@code report}, which
 * shows results again, and {@code jmh}, which hands over to JMH. Everything a user can get wrong
 * ends in a {@link dev.pread.benchmarks.UserError}: one line, exit code 2.
 */
package dev.pread.benchmarks;
