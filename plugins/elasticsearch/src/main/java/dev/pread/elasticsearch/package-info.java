/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Elasticsearch indexes on {@link dev.pread.PreadDirectory} and {@link
 * dev.pread.DirectPreadDirectory}: settings in, a configuration out, and the statistics of the
 * node's one block cache over REST.
 */
package dev.pread.elasticsearch;
