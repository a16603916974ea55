/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Decides how much memory the caches of a process may have. {@link dev.pread.memory.MemoryView}
 * finds out what the process is allowed and what others need of it, {@link
 * dev.pread.memory.Allotment} makes the caches larger and smaller by that whenever {@link
 * dev.pread.memory.MemoryGovernor} has it look, and {@link dev.pread.memory.Peers} lets processes
 * below one limit tell each other what they have. The reasons are in {@code
 * docs/decisions/0008-memory-that-adapts.md}.
 */
package dev.pread.memory;
