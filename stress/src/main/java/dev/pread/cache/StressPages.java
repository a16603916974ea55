/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;

/** One set of announced pages, and a device that reads them for a file. */
final class StressPages {

  private static final SlotCache CACHE = StressMemory.cache(2);

  private static final FillSignal[] SIGNALS = {new FillSignal()};

  private StressPages() {}

  /** Pages of which any may be in any place. */
  static AnnouncedPages pages() {
    return new AnnouncedPages(new PageFrames(PageFrames.PLACES, new StressMemory(), SIGNALS));
  }

  /** A file, and the queue that reads its pages. */
  static final class File {

    final CachedFile file;
    private final AnnouncedPages pages;
    private final StressFile source;
    private final FillQueue queue;

    File(AnnouncedPages pages, long value) {
      this(pages, value, false);
    }

    File(AnnouncedPages pages, long value, boolean isSlow) {
      this.pages = pages;
      file = CACHE.files().open(null, "f", 100L * AnnouncedPage.SIZE);
      source = new StressFile(value, isSlow);
      queue = new FillQueue(source.device().queue(), SIGNALS);
    }

    /** Begins to read a page. */
    void announce(int page) {
      FillQueue.Request request = pages.request(file, (long) page * AnnouncedPage.SIZE, 1, source);
      FillQueue.Outcome ignored = queue.begin(request, source);
    }

    /** Lets the device write, and ends the reads. */
    void end() {
      queue.flush();
    }

    /** Closes what is read, as an input does. */
    void closeSource() {
      source.close();
      queue.flush();
    }

    /** Returns how many reads hold on to what is read. */
    int waiting() {
      return source.device().queue().waiting();
    }

    /** Closes the queue. */
    void close() {
      queue.close();
    }

    /** Returns what a reader finds in a page, or 0 if it has to read for itself. */
    long read(int page) {
      AnnouncedPage found = pages.await(file, page);
      long version = found == null ? 1 : found.acquire();
      if (found == null || !found.isIn(version, file, page)) {
        return 0;
      }
      long value = found.chunk().bytes().getLong(found.offset());
      VarHandle.loadLoadFence();
      return found.is(version) ? value : 0;
    }

    /** Notes that a page has been read, so that it is the next to go. */
    void touch(int page) {
      pages.await(file, page).touch();
    }
  }
}
