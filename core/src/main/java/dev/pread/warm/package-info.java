/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Warm restarts: which blocks a cache had is written down, in a file in a folder that the user
 * names, when the cache is closed and every few minutes, in case the process is killed. The next
 * process finds it there and reads these blocks in the background. The model is what InnoDB does
 * with its buffer pool.
 *
 * <p>{@link dev.pread.cache.HotBlocks} knows the blocks. What is here keeps them on disk, and has
 * the threads.
 */
package dev.pread.warm;
