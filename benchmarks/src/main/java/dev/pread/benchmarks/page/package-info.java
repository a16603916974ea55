/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Shows what was measured to people: as tables on a terminal, and as one HTML page with tables and
 * plots that needs no other file and no network.
 */
package dev.pread.benchmarks.page;
