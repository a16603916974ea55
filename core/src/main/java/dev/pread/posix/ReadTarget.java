/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** Native memory that a file is read into: one piece, or several that are filled one by one. */
public sealed interface ReadTarget permits NativeBuffer, IoVector {}
