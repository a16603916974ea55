/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The index that is searched: built from a corpus, or an existing one that is only ever read; and
 * the directories it is opened through.
 */
package dev.pread.benchmarks.index;
