/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

/** One key in a {@link Queue}; a queue's end is a node too, which saves every case of null. */
final class Node {
  final long key;

  /** What the policy counts; 0 when the key comes in. */
  int uses;

  /** The queue it is in. */
  Queue queue;

  Node newer;
  Node older;

  Node(long key) {
    this.key = key;
  }
}
