/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command line of the runnable benchmark jar, and what all commands share. {@code all} runs the
 * suite, {@code report} shows results again, and {@code jmh} hands over to JMH; the other commands
 * have packages of their own. Everything a user can get wrong ends in a {@link
 * dev.pread.benchmarks.machine.UserError}: one line, exit code 2.
 */
package dev.pread.benchmarks;
