/* SPDX-License-Identifier: Apache-2.0 */

/** Servers in processes of their own, for the tests of the plugins. */
package dev.pread.plugin.server;
