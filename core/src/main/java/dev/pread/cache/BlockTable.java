/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The table from the blocks of a file to slots. An entry is a hint: what it leads to is checked
 * under the slot's version. One thread succeeds in entering a block.
 *
 * <p>It is thread-safe. It is the base of {@link CachedFile} and not a part of it, so that a hit
 * goes straight to the table.
 */
abstract sealed class BlockTable permits CachedFile {

  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(Slot[].class);
  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(Slot[][].class);

  /** The binary logarithm of the number of blocks per page of the table. */
  private static final int PAGE_BITS = 9;

  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;

  private final int blocks;

  /** The pages, which are made when they are needed. */
  private final Slot[][] pages;

  BlockTable(int blocks) {
    this.blocks = blocks;
    this.pages = new Slot[(blocks + PAGE_MASK) >>> PAGE_BITS][];
  }

  /** Returns how many blocks the file has. */
  final int blocks() {
    return blocks;
  }

  /**
   * Returns the slot that {@code block} was in a moment ago, or null. The slot may be in motion or
   * hold another block by now: take a version, then ask {@link CachedFile#isIn}.
   */
  public final Slot find(int block) {
    Slot[] page = (Slot[]) PAGE.getAcquire(pages, block >>> PAGE_BITS);
    return page == null ? null : (Slot) ENTRY.getAcquire(page, block & PAGE_MASK);
  }

  /** Enters a slot for a block that has none. Returns false if the block has one. */
  final boolean enter(int block, Slot slot) {
    return ENTRY.compareAndSet(page(block), block & PAGE_MASK, (Slot) null, slot);
  }

  /** Removes {@code slot}, which the caller has taken, from the table, if it is there. */
  final void remove(int block, Slot slot) {
    ENTRY.compareAndSet(page(block), block & PAGE_MASK, slot, (Slot) null);
  }

  /** Enters {@code to} for a block that {@code from} is entered for, or else does nothing. */
  final void replace(int block, Slot from, Slot to) {
    ENTRY.compareAndSet(page(block), block & PAGE_MASK, from, to);
  }

  /**
   * Returns the slot that is entered for the block, or null. The entry is read in one order with
   * all that is volatile, unlike that of {@link #find}.
   */
  final Slot entered(int block) {
    Slot[] page = (Slot[]) PAGE.getVolatile(pages, block >>> PAGE_BITS);
    return page == null ? null : (Slot) ENTRY.getVolatile(page, block & PAGE_MASK);
  }

  /** Returns the first block from {@code block} on that may have a slot, or {@link #blocks}. */
  final int nextEntered(int block) {
    while (block < blocks && entered(block) == null) {
      boolean hasPage = PAGE.getVolatile(pages, block >>> PAGE_BITS) != null;
      block = hasPage ? block + 1 : Math.min(blocks, (block | PAGE_MASK) + 1);
    }
    return block;
  }

  /** Makes the page for {@code block}, so that {@link #enter} has nothing to allocate. */
  final void preparePage(int block) {
    page(block);
  }

  private Slot[] page(int block) {
    int number = block >>> PAGE_BITS;
    Slot[] page = (Slot[]) PAGE.getAcquire(pages, number);
    if (page == null) {
      Slot[] fresh = new Slot[Math.min(1 << PAGE_BITS, blocks - (number << PAGE_BITS))];
      page = (Slot[]) PAGE.compareAndExchange(pages, number, (Slot[]) null, fresh);
      if (page == null) {
        page = fresh;
      }
    }
    return page;
  }
}
