/* SPDX-License-Identifier: Apache-2.0 */

/**
 * What users touch: {@link dev.pread.PreadDirectory} in place of {@code NIOFSDirectory} or {@code
 * MMapDirectory}, and its configuration.
 */
package dev.pread;
