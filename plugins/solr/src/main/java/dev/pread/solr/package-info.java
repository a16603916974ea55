/* SPDX-License-Identifier: Apache-2.0 */
/** The indexes of Solr on this library, chosen by the directory factory of a core. */
package dev.pread.solr;
