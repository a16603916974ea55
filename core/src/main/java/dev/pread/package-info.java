/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The classes that users need: {@link dev.pread.PreadDirectory} in place of {@code NIOFSDirectory}
 * or {@code MMapDirectory}, and its configuration.
 */
package dev.pread;
