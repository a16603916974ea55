/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The same searches over HTTP, answered by a real OpenSearch with little memory, once for each way
 * it can store an index: what a user of a server gains or loses, with everything else that a server
 * does around it.
 */
package dev.pread.benchmarks.server;
