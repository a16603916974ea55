/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sends the same searches over HTTP to a real OpenSearch with little memory, once for each way it
 * can store an index, to see what a user of a server gains or loses, with everything else that a
 * server does around it.
 */
package dev.pread.benchmarks.server;
