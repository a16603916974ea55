/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;
import dev.pread.posix.PosixFile;
import dev.pread.posix.Residency;

/**
 * Makes {@code prefetch} cheap on resident data: Lucene calls it before nearly every block it is
 * about to read, and on a warm index each call would be a wasted system call.
 *
 * <p>It looks first ({@code preadv2} of one byte with {@code RWF_NOWAIT}) and gives advice only for
 * what is absent. After {@value #MIN_RESIDENT_STREAK} looks in a row that found their range
 * resident, it looks on only one call in {@value #CALLS_PER_SAMPLE}, until a look finds something
 * absent. The streak is kept per file, not per clone or slice (which are made by the thousand and
 * would each start anew), and the sampling never gets sparser: on data that is partly cold a miss
 * comes soon and ends the streak, so cold ranges are not skipped for long. (Lucene's own gate,
 * which backs off by powers of two, had both problems: apache/lucene 15571 and 16145.)
 *
 * <p>This class is thread-safe without locks: the counters are plain, and an update lost between
 * threads only shifts a sample.
 */
final class PrefetchGate {

  private static final int MIN_RESIDENT_STREAK = 16;
  private static final int CALLS_PER_SAMPLE = 16;
  private static final int COLD_SAMPLES = 4;

  private final PosixFile file;
  private int residentStreak;
  private int skipped;

  PrefetchGate(PosixFile file) {
    this.file = file;
  }

  /** Starts to read {@code [position, position + length)} if that seems to be needed. */
  void prefetch(long position, long length) {
    if (residentStreak >= MIN_RESIDENT_STREAK && ++skipped % CALLS_PER_SAMPLE != 0) {
      return;
    }
    if (length <= 0 || probe(position, length)) {
      return;
    }
    file.advise(position, length, Advice.WILLNEED);
  }

  /** Returns whether samples all over the file are absent from the page cache. */
  boolean looksCold() {
    for (int i = 0; i < COLD_SAMPLES; i++) {
      if (file.residency(file.length() / COLD_SAMPLES * i) != Residency.ABSENT) {
        return false;
      }
    }
    return true;
  }

  /** Asks whether both ends of a range are in the page cache, and remembers how often they were. */
  private boolean probe(long position, long length) {
    Residency residency = file.residency(position);
    if (residency == Residency.RESIDENT && length > 1) {
      residency = file.residency(position + length - 1);
    }
    // Where the system can't tell, nothing is known and every call gives advice.
    residentStreak = residency == Residency.RESIDENT ? residentStreak + 1 : 0;
    return residency == Residency.RESIDENT;
  }
}
