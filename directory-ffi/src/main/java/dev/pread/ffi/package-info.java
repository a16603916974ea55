/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The FFM backend: libc's calls through {@code java.lang.foreign}, in pure Java. It has nothing but
 * the calls and the platform's numbers; all policy is in {@code dev.pread.posix} in core.
 */
package dev.pread.ffi;
