/* SPDX-License-Identifier: Apache-2.0 */

/**
 * "Fill this array from this file position": between the operating system seam below, which moves
 * bytes into native memory, and Lucene's inputs above, which want them in arrays. No Lucene here.
 */
package dev.pread.block;
