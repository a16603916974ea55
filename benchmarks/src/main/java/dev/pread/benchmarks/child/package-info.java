/* SPDX-License-Identifier: Apache-2.0 */
/** JVMs of their own for single measurements: how they are started, told what to do, and answer. */
package dev.pread.benchmarks.child;
