/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * A first-in first-out queue of slots, linked through the slots themselves: nothing is allocated,
 * and a slot that is freed leaves from the middle. It is not thread-safe.
 */
final class SlotQueue {

  /** The value of {@link Slot#queue} for a slot in no queue. */
  static final byte NONE = 0;

  private final byte name;
  private Slot oldest;
  private Slot newest;
  private int size;

  /**
   * Creates an empty queue.
   *
   * @param name not {@link #NONE}, and different from that of any queue its slots may move to
   */
  SlotQueue(byte name) {
    this.name = name;
  }

  int size() {
    return size;
  }

  boolean contains(Slot slot) {
    return slot.queue == name;
  }

  void add(Slot slot) {
    assert slot.queue == NONE : slot;
    slot.queue = name;
    slot.before = newest;
    slot.after = null;
    if (newest == null) {
      oldest = slot;
    } else {
      newest.after = slot;
    }
    newest = slot;
    size++;
  }

  /** Takes the oldest slot out. Returns null if there is none. */
  Slot poll() {
    Slot slot = oldest;
    if (slot != null) {
      remove(slot);
    }
    return slot;
  }

  void remove(Slot slot) {
    assert slot.queue == name : slot;
    if (slot.before == null) {
      oldest = slot.after;
    } else {
      slot.before.after = slot.after;
    }
    if (slot.after == null) {
      newest = slot.before;
    } else {
      slot.after.before = slot.before;
    }
    slot.before = null;
    slot.after = null;
    slot.queue = NONE;
    size--;
  }
}
