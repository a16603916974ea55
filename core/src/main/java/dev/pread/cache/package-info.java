/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The block cache: memory in slots, read without pins and without locks ({@link
 * dev.pread.cache.Guard}), filled by misses and emptied by S3-FIFO. {@link
 * dev.pread.cache.SlotCache} has the essay. No Lucene and no operating system here: files are
 * {@link dev.pread.cache.BlockSource}s.
 */
package dev.pread.cache;
