/* SPDX-License-Identifier: Apache-2.0 */

/**
 * What the plugins for search servers share: which settings a node has and what they may be, the
 * directories of its shards with their one block cache, and its statistics. It knows no server's
 * types: a plugin hands in how its server writes sizes and logs, and renders the statistics.
 */
package dev.pread.plugin;
