/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Settings of OpenSearch in, directories of this library out: the store types {@code pread} and
 * {@code pread_direct}, one block cache per node, and its statistics. Nothing else; what reads and
 * caches is in {@code dev.pread}.
 */
package dev.pread.opensearch;
