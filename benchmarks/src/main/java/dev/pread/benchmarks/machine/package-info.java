/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Holds what all commands stand on. It arranges the machine: the device, threads and rates to load
 * it with, and JVMs of their own for single measurements, which are told what to do and answer. It
 * also has what every command needs to talk to its user: errors, exit codes, progress and Ctrl-C.
 * It knows nothing of what is measured.
 */
package dev.pread.benchmarks.machine;
