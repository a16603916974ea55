/* SPDX-License-Identifier: Apache-2.0 */
/** What people and programs get to see: progress, the table, the JSON file. */
package dev.pread.benchmarks.report;
