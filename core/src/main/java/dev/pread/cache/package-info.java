/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The block cache: memory in slots, read without pins and without locks ({@link
 * dev.pread.cache.Guard}), filled by misses and emptied by S3-FIFO. {@link
 * dev.pread.cache.SlotCache} describes the design. The package does not know Lucene, and of the
 * operating system it knows how a file is read into pieces of memory: {@link
 * dev.pread.posix.ReadableFile}.
 *
 * <p><b>What is read without a lock, and why that is enough.</b> Each row in which an order matters
 * has a test in the module {@code stress} that fails when it is broken. The fences of versions are
 * an exception: where the processor keeps that order by itself (x86-64), these tests see what the
 * compiler moves, and no more.
 *
 * <table border="1">
 * <caption>Fields that threads share without a lock</caption>
 * <tr><th>field</th><th>written</th><th>read</th><th>why it is enough</th><th>stress test</th></tr>
 * <tr>
 *   <td>{@code Guard.version}</td>
 *   <td>by compare-and-set from even to odd by the thread that takes the memory, volatile by its
 *       owner</td>
 *   <td>with acquire before the memory, plainly after it and a load-load fence</td>
 *   <td>A store-store fence keeps writes to the memory behind the odd version, and a volatile write
 *       keeps the even version behind them. So a reader that has read one byte of the next contents
 *       finds another version. Who copies a block to move it need not read the version again: it
 *       takes the slot by compare-and-set from the version under which it was copied.</td>
 *   <td>{@code ReadAgainstRefillStress}, {@code LookUpAgainstPublishStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Slot.owner}, {@code Slot.block}</td>
 *   <td>by the owner of a slot in motion</td>
 *   <td>by readers, between two reads of the version</td>
 *   <td>They are part of what the version guards.</td>
 *   <td>{@code LookUpAgainstPublishStress}, {@code MoveAgainstRefillStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Slot.reader}</td>
 *   <td>by the owner of a slot in motion, before it enters the slot into the table</td>
 *   <td>by threads that wait, after they have found the slot in the table</td>
 *   <td>What is stale belongs to another version, and waits for that end at once.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code Slot.extent}</td>
 *   <td>by the owner of a slot in motion that is in no queue</td>
 *   <td>by the eviction of slots in its queue, under the shard's lock; by a close, between two
 *       reads of the version</td>
 *   <td>A slot is in a queue only while nobody writes the field, and it enters and leaves the queue
 *       under the lock. A close acts on what it has read only if it then takes the slot under the
 *       same version.</td>
 *   <td>{@code MoveAgainstRefillStress}, {@code ViewAgainstCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Slot.uses}, {@code Extent.touched}</td>
 *   <td>by any thread, plainly</td>
 *   <td>by the eviction</td>
 *   <td>A count that is lost does no harm.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>the entries of {@code BlockTable}</td>
 *   <td>by compare-and-set when the slot has its owner and block; by the thread that has taken the
 *       slot</td>
 *   <td>with acquire</td>
 *   <td>It is a hint: what it leads to is checked under the slot's version. One thread succeeds in
 *       entering a block. A thread that publishes a slot looks at the table afterwards, and a
 *       thread that takes a slot out of the table because it has been in motion for too long looks
 *       at its version afterwards: both are volatile, so one of them sees the other and frees the
 *       slot.</td>
 *   <td>{@code TwoMissesStress}, {@code AbandonAgainstPublishStress}, {@code
 *       LookUpAgainAgainstAbandonStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code CachedFile.closed}, {@code SlotMemory.closed}</td>
 *   <td>before the slots and extents that exist are freed</td>
 *   <td>after a slot has been published or an extent has been entered</td>
 *   <td>All four are volatile: either the close finds the slot, or the thread that publishes it
 *       finds the close.</td>
 *   <td>{@code FillAgainstCloseStress}, {@code FillAgainstCacheCloseStress}, {@code
 *       PlaceAgainstCloseStress}, {@code TwoClosesStress}, {@code LookUpAgainAgainstCacheCloseStress}
 *       </td>
 * </tr>
 * <tr>
 *   <td>{@code Extent.version}</td>
 *   <td>even under the lock when all blocks are filled, odd under the lock before {@code
 *       ended}</td>
 *   <td>like any version</td>
 *   <td>All blocks were filled before the lock was taken for the last of them.</td>
 *   <td>{@code ExtentAgainstReadStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Extent.ended}</td>
 *   <td>under the lock, after the version has changed</td>
 *   <td>by the eviction, which then reuses slots</td>
 *   <td>It is volatile: a thread that sees it has the version's change behind it, and what is
 *       written into the slots comes later still. The other way round, a reader could find the
 *       version it knows and somebody else's bytes.</td>
 *   <td>{@code ExtentEndAgainstReuseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Extent.pinned}</td>
 *   <td>under the lock; set only while the extent has not ended</td>
 *   <td>by the eviction after {@code ended}; by a close before it takes a slot</td>
 *   <td>Once the extent has ended it can only become false. A slot that a close has taken before
 *       the extent was pinned goes back to the extent, under the lock, and is not free before the
 *       pin has gone.</td>
 *   <td>{@code ViewAgainstEvictStress}, {@code ViewAgainstCloseStress}, {@code
 *       ReleaseAgainstCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Compaction.extent}</td>
 *   <td>under the lock of {@code Compaction}</td>
 *   <td>by threads that free or evict a slot</td>
 *   <td>It is volatile. Who sees it late frees a slot for everybody, and the compaction finds the
 *       slot there or in somebody else's hands. Who sees it for too long gives it a slot under its
 *       own lock, and only while it has not ended; once it ends, it frees what it was given.</td>
 *   <td>{@code ReleaseAgainstGatherStress}, {@code ExchangeAgainstReadStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code Extent.view}, {@code Extent.complete}</td>
 *   <td>under the lock</td>
 *   <td>by threads that want the view</td>
 *   <td>A thread that finds a view holds it, and that alone keeps the memory as it is. Everything
 *       else is checked again under the lock.</td>
 *   <td>{@code ViewAgainstEvictStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code SlotMemory.slots}, {@code SlotMemory.chunks}</td>
 *   <td>under the lock for growing</td>
 *   <td>by the owner of a slot, and by threads that have found it in a table</td>
 *   <td>The thread that made the slot gave it back under the lock of {@code FreeSlots}, or entered
 *       it into the table by compare-and-set, before any other thread had it. A thread that empties
 *       pages, or closes the cache, finds slots by their numbers: they are written with release and
 *       read with acquire, so that it finds them in motion or later, and it acts on one only if it
 *       takes it by its version.</td>
 *   <td>{@code TakeAgainstGiveStress}, {@code GiveBackAgainstReadStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code FreeSlots.states} and {@code isBacked}, {@code Slot.queue}, {@code Slot.isReadAhead}, and {@code
 *       Slot.uses} again</td>
 *   <td>under a lock</td>
 *   <td>by threads that evict or empty pages, plainly</td>
 *   <td>What is seen late makes a slot stay in a page that is leaving for another round, or another
 *       block go: no more. A page gives its memory back when, under the lock, all its slots are
 *       free, and then no reader finds the version it knows.</td>
 *   <td>{@code GiveBackAgainstReadStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code SlotCache.shrinking}, {@code PageEviction.end}, {@code PageEviction.next}, {@code
 *       SlotMemory.pageLimit}, {@code SlotMemory.isShortOfMemory}, {@code
 *       SlotMemory.pageCacheShare}, {@code SlotMemory.lost}, {@code SlotCache.hasEvicted}</td>
 *   <td>by the thread that changes the size; {@code next} by compare-and-set</td>
 *   <td>by threads that miss</td>
 *   <td>They are volatile or atomic; whoever sees them late helps later, or reads a block another
 *       way.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code SpareMemory.Piece.owner}</td>
 *   <td>by the thread that has taken the piece</td>
 *   <td>by a close, between two reads of the version</td>
 *   <td>The close acts on it only if it then takes the piece under the same version. A piece that
 *       is being filled is left to its taker, which checks after a full fence whether the file is
 *       closed.</td>
 *   <td>{@code SpareAgainstCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code AnnouncedPage.owner}, {@code number}</td>
 *   <td>by the thread that has taken the page; {@code owner} also by the one that ends its
 *       read</td>
 *   <td>by readers and by a close, between two reads of the version; by readers that look for a
 *       page, plainly</td>
 *   <td>They are part of what the version guards. What a search has found is checked under a
 *       version. The close acts on a page only if it then takes it under the same version; a page
 *       in motion is left to who ends its read, which looks afterwards whether the file is closed:
 *       version and {@code closed} are volatile, so one of them sees the other.</td>
 *   <td>{@code PageReuseAgainstReadStress}, {@code PageUnderWayAgainstCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code CachedFile.mayHavePages}, {@code CachedFile.closed}</td>
 *   <td>by a thread that is about to claim a page; by the last close</td>
 *   <td>by the close, after that; by who ends the page's read</td>
 *   <td>Both are volatile: either the close sees that there may be pages and looks for them, or
 *       whoever ends the read sees that the file is closed.</td>
 *   <td>{@code AnnouncementAgainstCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code PageRead.isGivenUp}</td>
 *   <td>by a thread that has waited for too long</td>
 *   <td>by threads that look for a page</td>
 *   <td>It is volatile. Who does not see it yet waits as well.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code AnnouncedPage.read}, {@code isUsed}; {@code PageFrames.turns}</td>
 *   <td>by the thread that has taken the page, and by the one that ends its read; by readers; by
 *       threads that announce</td>
 *   <td>by threads that wait, after the version; by threads that take a page</td>
 *   <td>What reads a page is volatile, so that it is seen with its queue, and as of the version
 *       that was read before, or later: then the version has changed, and the wait is over. The
 *       others are plain, and what is lost makes another page go.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code FreeSlots.count}, {@code FreeSlots.noRunOf}, {@code Stretch.tried}, {@code
 *       Stretch.failures}, {@code Stretch.samples}, {@code Stretch.wanted}, {@code
 *       Stretch.notBefore}, {@code Stretch.vain}, {@code Extent.wanted}, {@code
 *       Extent.hasUnclaimed}</td>
 *   <td>under a lock, or as small counts, times and wishes that are repeated</td>
 *   <td>by threads that decide whether something is worth a try</td>
 *   <td>What depends on it is checked again under the lock.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code Restore.next}, {@code OpenFiles.hotBlocks}</td>
 *   <td>by the thread that restores; before any file is opened</td>
 *   <td>by threads that note which blocks a file has; by those that open and close files</td>
 *   <td>What is seen late is noted or read once more than it need be.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code FillSignal.awaited}</td>
 *   <td>by a thread that waits, before it looks at the version</td>
 *   <td>by the thread that fills, after it has changed the version</td>
 *   <td>Both are volatile: one of them sees the other. The wait is bounded all the same.</td>
 *   <td>{@code WaitAgainstPublishStress}, {@code WaitAgainstFailureStress}</td>
 * </tr>
 * <tr>
 *   <td>the version of a slot whose read is under way</td>
 *   <td>by the thread that reaps, after the device has done</td>
 *   <td>by closes, evictions and changes of size</td>
 *   <td>It is odd from before the read is offered until its event has come, and what is odd nobody
 *       takes: neither a close nor an error frees the slot under the device.</td>
 *   <td>{@code ReadUnderWayAgainstCloseStress}, {@code ReadUnderWayAgainstCacheCloseStress}, {@code
 *       ReadUnderWayAgainstGiveBackStress}, {@code AbandonAgainstReadUnderWayStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code ReadQueue.waiting}, the lock for submitting of {@code ReadQueue}</td>
 *   <td>by a thread that offers, before it tries the lock</td>
 *   <td>by the thread that has submitted, after it has left the lock</td>
 *   <td>Both are volatile: either the lock is free, or its owner sees the read and goes on.</td>
 *   <td>{@code OfferAgainstSubmitStress}, {@code QueueCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code ReadQueue.waiting} again, {@code ReadableFile.isOpen}</td>
 *   <td>by a thread that offers a read; by one that closes what it reads</td>
 *   <td>by the other one, afterwards</td>
 *   <td>Both are volatile: either the read begins because its file is closed, or the close finds it
 *       waiting and begins it. It would hold on to the descriptor otherwise.</td>
 *   <td>{@code OfferAgainstFileCloseStress}</td>
 * </tr>
 * <tr>
 *   <td>{@code FillQueue.followers}, the lock for reaping of {@code ReadQueue}</td>
 *   <td>by a thread that waits, before it looks whether another reaps</td>
 *   <td>by the thread that has reaped, after it has left the lock</td>
 *   <td>Both are volatile: one of them sees the other. Whoever is missed all the same looks again
 *       after a millisecond.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * <tr>
 *   <td>{@code Chunk.address}</td>
 *   <td>by any thread that finds it out</td>
 *   <td>by any thread</td>
 *   <td>All find the same address.</td>
 *   <td>none: no outcome is forbidden</td>
 * </tr>
 * </table>
 */
package dev.pread.cache;
