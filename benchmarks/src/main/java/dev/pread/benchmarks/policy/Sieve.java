/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.HashMap;
import java.util.Map;

/**
 * SIEVE, after Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is Simpler than LRU" (NSDI 2024): one
 * queue in order of insertion and one bit per key that a hit sets. A hand goes from the oldest to
 * the newest, clears the bits that it finds set and evicts at the first one that is not. Unlike
 * CLOCK's, survivors stay where they are, so that new keys are looked at soon.
 */
final class Sieve implements Policy {
  private final int capacity;
  private final Map<Long, Node> nodes = new HashMap<>();
  private final Queue queue = new Queue();

  /** Where the next search for a victim begins; null for the oldest. */
  private Node hand;

  Sieve(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public boolean access(long key) {
    Node node = nodes.get(key);
    if (node != null) {
      node.uses = 1;
      return true;
    }
    if (queue.size() == capacity) {
      evict();
    }
    node = new Node(key);
    nodes.put(key, node);
    queue.add(node);
    return false;
  }

  private void evict() {
    Node node = hand == null ? queue.oldest() : hand;
    while (node.uses > 0) {
      node.uses = 0;
      Node newer = queue.newerThan(node);
      node = newer == null ? queue.oldest() : newer;
    }
    take(node, queue.newerThan(node));
  }

  private void take(Node node, Node nextHand) {
    hand = nextHand;
    nodes.remove(node.key);
    queue.remove(node);
  }

  @Override
  public void forget(long key) {
    Node node = nodes.get(key);
    if (node != null) {
      take(node, node == hand ? queue.newerThan(node) : hand);
    }
  }

  @Override
  public int size() {
    return queue.size();
  }
}
