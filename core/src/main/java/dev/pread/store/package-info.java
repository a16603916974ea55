/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Lucene's {@code IndexInput} and {@code IndexOutput} over the layers below, and the read plan that
 * decides from a file's context how it is read.
 */
package dev.pread.store;
