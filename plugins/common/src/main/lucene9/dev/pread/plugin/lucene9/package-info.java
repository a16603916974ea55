/* SPDX-License-Identifier: Apache-2.0 */

/** What the plugins share for servers with Lucene 9; it is compiled with each of them. */
package dev.pread.plugin.lucene9;
