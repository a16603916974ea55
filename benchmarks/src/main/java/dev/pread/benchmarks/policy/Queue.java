/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

/** Nodes from the newest to the oldest: a doubly linked ring, so that any of them can leave. */
final class Queue {
  /** Newer than the newest and older than the oldest. */
  private final Node end = new Node(-1);

  private int size;

  Queue() {
    end.newer = end;
    end.older = end;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds a node that is in no queue, as the newest. */
  void add(Node node) {
    node.queue = this;
    node.newer = end;
    node.older = end.older;
    node.older.newer = node;
    end.older = node;
    size++;
  }

  /** Takes out a node of this queue. */
  void remove(Node node) {
    node.newer.older = node.older;
    node.older.newer = node.newer;
    node.queue = null;
    size--;
  }

  /** The oldest node, or null if there is none. */
  Node oldest() {
    return size == 0 ? null : end.newer;
  }

  /** The next newer node of the queue, or null for the newest. */
  Node newerThan(Node node) {
    return node.newer == end ? null : node.newer;
  }

  /** Takes the oldest node out of a queue that is not empty. */
  Node poll() {
    Node node = end.newer;
    remove(node);
    return node;
  }
}
