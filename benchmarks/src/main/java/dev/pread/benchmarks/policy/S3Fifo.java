/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * S3-FIFO, after Yang, Zhang, Qiu, Yue and Vinayak, "FIFO queues are all you need for cache
 * eviction" (SOSP 2023). A new key goes into a small queue of a tenth of the capacity. The oldest
 * there moves on to the main queue if it was used often enough meanwhile; else it is evicted, and
 * remembered in a ghost queue as long as the main queue may get. A key that comes back while it is
 * remembered goes into the main queue at once. There, the oldest gets another round for each of its
 * uses. A hit writes one counter of two bits and moves nothing.
 */
final class S3Fifo implements Policy {
  private static final int SMALL_PART = 10;
  private static final int MAX_USES = 3;

  private final int capacity;
  private final int smallCapacity;
  private final int promoteAt;
  private final Map<Long, Node> nodes = new HashMap<>();
  private final Queue small = new Queue();
  private final Queue main = new Queue();
  private final Set<Long> ghosts = new LinkedHashSet<>();

  /**
   * Empty queues.
   *
   * @param capacity of the small and the main queue together
   * @param promoteAt hits in the small queue that lead into the main one: 2 in the paper
   */
  S3Fifo(int capacity, int promoteAt) {
    this.capacity = capacity;
    this.smallCapacity = Math.max(1, capacity / SMALL_PART);
    this.promoteAt = promoteAt;
  }

  @Override
  public boolean access(long key) {
    Node node = nodes.get(key);
    if (node != null) {
      node.uses = Math.min(MAX_USES, node.uses + 1);
      return true;
    }
    // Before the eviction, which may push it out of the ghosts.
    boolean remembered = ghosts.remove(key);
    if (nodes.size() == capacity) {
      evict();
    }
    node = new Node(key);
    nodes.put(key, node);
    (remembered ? main : small).add(node);
    return false;
  }

  /** Ends: each round shortens the small queue or takes a use off a key in the main one. */
  private void evict() {
    Node victim = null;
    while (victim == null) {
      victim = small.size() >= smallCapacity || main.isEmpty() ? fromSmall() : fromMain();
    }
    nodes.remove(victim.key);
  }

  /** The oldest of the small queue, or null if that has earned its place. */
  private Node fromSmall() {
    Node node = small.poll();
    if (node.uses >= promoteAt) {
      node.uses = 0;
      main.add(node);
      return null;
    }
    ghosts.add(node.key);
    if (ghosts.size() > capacity - smallCapacity) {
      ghosts.remove(ghosts.iterator().next());
    }
    return node;
  }

  /** The oldest of the main queue, or null if that gets another round. */
  private Node fromMain() {
    Node node = main.poll();
    if (node.uses > 0) {
      node.uses--;
      main.add(node);
      return null;
    }
    return node;
  }

  @Override
  public void forget(long key) {
    Node node = nodes.remove(key);
    if (node != null) {
      node.queue.remove(node);
    }
    ghosts.remove(key);
  }

  @Override
  public int size() {
    return small.size() + main.size();
  }

  /** Keys that are remembered without being held; for tests. */
  int ghosts() {
    return ghosts.size();
  }
}
