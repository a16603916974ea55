/* SPDX-License-Identifier: Apache-2.0 */
/**
 * jcstress tests of the seam, in its package so that they reach its parts. Run by {@code mvn
 * verify}; {@code -Djcstress.mode=tough} takes longer and looks closer.
 */
package dev.pread.posix;
