/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Eviction policies as simulators: they hold keys, not bytes, and answer one question per access,
 * hit or miss. Small on purpose, so that each can be checked by hand against its paper. Knows
 * nothing of traces, files or Lucene.
 */
package dev.pread.benchmarks.policy;
