/* SPDX-License-Identifier: Apache-2.0 */

/**
 * What nobody hopes for and everybody meets: power failures, kills, full disks, sandboxes, and
 * weeks of load. Each test names its backend; {@code docs/reliability.md} says what is promised and
 * what is not covered.
 */
package dev.pread.reliability;
