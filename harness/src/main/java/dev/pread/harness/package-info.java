/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Processes under test: servers, and commands that run to their end; whose they are, the memory
 * that they may have, and what the kernel counts of them. The benchmarks and the tests of the
 * plugins start theirs by it. It knows nothing of what is measured or tested.
 */
package dev.pread.harness;
