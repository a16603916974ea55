/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A file is closed while its first page is announced, and read. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "dropped by the close, or by who ends it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a page of a closed file")
@State
public class AnnouncementAgainstCloseStress {

  private final AnnouncedPages pages = StressPages.pages();
  private final StressPages.File file = new StressPages.File(pages, 1);

  /** Announces the page, and has the device read it. */
  @Actor
  public void announcer() {
    file.announce(0);
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
