/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Settings of OpenSearch in, directories of this library out: the store types {@code pread} and
 * {@code pread_direct}, one block cache per node, and its statistics. What another server has as
 * well is in {@code dev.pread.plugin}; what reads and caches is in {@code dev.pread}.
 */
package dev.pread.opensearch;
