/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.HashMap;
import java.util.Map;

/**
 * Least recently used: evicts what was not used for longest. A yardstick only, since every hit
 * moves its key in a list, for which a cache with many threads needs a lock or a log.
 */
final class Lru implements Policy {
  private final int capacity;
  private final Map<Long, Node> nodes = new HashMap<>();
  private final Queue queue = new Queue();

  Lru(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public boolean access(long key) {
    Node node = nodes.get(key);
    if (node != null) {
      queue.remove(node);
      queue.add(node);
      return true;
    }
    if (queue.size() == capacity) {
      nodes.remove(queue.poll().key);
    }
    node = new Node(key);
    nodes.put(key, node);
    queue.add(node);
    return false;
  }

  @Override
  public void forget(long key) {
    Node node = nodes.remove(key);
    if (node != null) {
      queue.remove(node);
    }
  }

  @Override
  public int size() {
    return queue.size();
  }
}
