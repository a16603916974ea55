/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Elasticsearch indexes on {@link dev.pread.PreadDirectory} and {@link
 * dev.pread.DirectPreadDirectory}: settings in, directories out, and the statistics of the node's
 * one block cache over REST. What another server has as well is in {@code dev.pread.plugin}.
 */
package dev.pread.elasticsearch;
