/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The operating system seam: a backend interface in the shape of the POSIX calls, the counted file
 * handle above it, and the one place where an errno becomes an {@link java.io.IOException}.
 *
 * <p>Nothing in this package knows about Lucene. A backend returns counts or negative errno values
 * and decides nothing; loops around short counts, error texts and the protection against reused
 * descriptors live here, once, for all backends.
 */
package dev.pread.posix;
