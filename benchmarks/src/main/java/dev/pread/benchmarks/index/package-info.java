/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The index that is searched: built from a text, or an existing one that is only ever read; the
 * directories it is opened through; and the queries that are asked of it, which are drawn from what
 * is in it, so that they fit a foreign index as well as one that was built here.
 */
package dev.pread.benchmarks.index;
