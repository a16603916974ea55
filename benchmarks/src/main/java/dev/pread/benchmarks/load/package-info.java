/* SPDX-License-Identifier: Apache-2.0 */
/** Files that tell a wrong byte, positions to read at, and threads and rates to read them with. */
package dev.pread.benchmarks.load;
