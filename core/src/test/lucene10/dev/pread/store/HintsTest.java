/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Advice;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;
import org.junit.jupiter.api.Test;

/** What the kernel is told where Lucene says what only this version can say. */
class HintsTest extends AdviceTestCase {

  @Test
  void sequentialAccessReachesTheKernelWhateverTheDefaultIs() throws Exception {
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("small", Fixtures.SEQUENTIAL));
    PreadConfig random = PreadConfig.builder().randomByDefault(true).build();
    assertEquals(List.of(Advice.SEQUENTIAL), adviceFor("small", Fixtures.SEQUENTIAL, random));
  }

  @Test
  void preloadAloneAsksForTheWholeFileAndNothingElse() throws Exception {
    assertEquals(List.of(Advice.WILLNEED), adviceFor("large", LuceneCalls.PRELOAD));
    Call call = faults.calls(Function.FADVISE).get(0);
    assertEquals(0, call.position());
    assertEquals(LARGE, call.length());
    assertEquals(List.of(), adviceFor("empty", LuceneCalls.PRELOAD));
  }

  /** It is asked for as it is read, and only then. */
  @Test
  void whatIsReadOnceIsNotPreloaded() throws Exception {
    assertEquals(
        List.of(Advice.SEQUENTIAL),
        adviceFor(
            "small", IOContext.DEFAULT.withHints(ReadOnceHint.INSTANCE, PreloadHint.INSTANCE)));
  }

  @Test
  void theHintIsAsGoodAsTheContextThatHasIt() throws Exception {
    assertEquals(
        List.of(Advice.SEQUENTIAL, Advice.DONTNEED),
        adviceFor("large", IOContext.DEFAULT.withHints(ReadOnceHint.INSTANCE)));
  }
}
