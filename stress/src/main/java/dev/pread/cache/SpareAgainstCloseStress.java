/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A file is closed while one of its inputs reads into spare memory, as inputs do. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "told by the look, or by the version")
@Outcome(expect = Expect.FORBIDDEN, desc = "a window that outlives its file")
@State
public class SpareAgainstCloseStress {

  /** One for all, since it takes 4 MiB. */
  private static final SpareMemory SPARE = new SpareMemory();

  private final OpenGuard owner = new OpenGuard();
  private boolean open = true;
  private SpareMemory.Piece piece;
  private long version;
  private boolean sawItOpen;

  /** Reads, then looks whether the file is still open. */
  @Actor
  public void reader() {
    piece = SPARE.take(owner, OpenGuard.OPEN, owner);
    version = piece.filled();
    sawItOpen = open;
  }

  /** Closes it. */
  @Actor
  public void closer() {
    open = false;
    if (owner.end()) {
      SPARE.drop(owner);
    }
  }

  /** Whether the reader would go on. */
  @Arbiter
  public void goesOn(I_Result result) {
    result.r1 = sawItOpen && piece.guard().is(version) ? 1 : 0;
  }
}
