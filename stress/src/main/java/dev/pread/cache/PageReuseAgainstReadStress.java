/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** An announced page is read while its memory is taken for a page of another file. */
@JCStressTest
@Outcome(
    id = {"0, 2", "1, 2"},
    expect = Expect.ACCEPTABLE,
    desc = "its bytes, or it is gone; then the other one is there")
@Outcome(expect = Expect.FORBIDDEN, desc = "another page's bytes, or one that is lost")
@State
public class PageReuseAgainstReadStress {

  private final AnnouncedPages pages = StressPages.pages();
  private final StressPages.File file = new StressPages.File(pages, 1);
  private final StressPages.File other = new StressPages.File(pages, 2);

  /** Fills all places. One page has been read, so that it is the first to go. */
  public PageReuseAgainstReadStress() {
    for (int page = 0; page < PageFrames.PLACES; page++) {
      file.announce(page);
      file.end();
    }
    file.touch(0);
  }

  /** Reads it once more. */
  @Actor
  public void reader(JJ_Result result) {
    result.r1 = file.read(0);
  }

  /** Announces another one, and has the device read it. */
  @Actor
  public void announcer() {
    other.announce(0);
    other.end();
  }

  /** Reads that. */
  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = other.read(0);
    // They are closed so that it does not take the collector to end the queues.
    file.close();
    other.close();
  }
}
