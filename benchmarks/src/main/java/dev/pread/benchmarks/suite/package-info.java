/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The frame of the suite, which does what all commands that measure do alike. A part measures and
 * records; the frame checks the options, arranges the machine, writes the files, prints the tables
 * and puts everything back.
 */
package dev.pread.benchmarks.suite;
