/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A file is closed while the device reads one of its announced pages. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "dropped by the close, or by who ends it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a page of a closed file")
@State
public class PageUnderWayAgainstCloseStress {

  private final AnnouncedPages pages = StressPages.pages();
  private final StressPages.File file = new StressPages.File(pages, 1);

  /** Begins the read. */
  public PageUnderWayAgainstCloseStress() {
    file.announce(0);
  }

  /** Ends the read. */
  @Actor
  public void reaper() {
    file.end();
  }

  /** Closes the file, then drops its pages. */
  @Actor
  public void closer() {
    file.file.close();
    pages.closing(file.file, true);
  }

  /** Looks for the page. */
  @Arbiter
  public void end(J_Result result) {
    file.end();
    result.r1 = file.read(0);
    file.close();
  }
}
