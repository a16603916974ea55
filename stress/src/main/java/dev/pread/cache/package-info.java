/* SPDX-License-Identifier: Apache-2.0 */
/**
 * jcstress tests of the block cache, in its package so that they reach its parts. See {@code
 * dev.pread.posix} for how they are run.
 */
package dev.pread.cache;
