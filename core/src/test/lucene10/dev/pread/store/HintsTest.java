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
import java.util.Set;
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
    assertEquals(Set.of(Advice.WILLNEED), Set.copyOf(adviceFor("large", LuceneCalls.PRELOAD)));
    List<Call> calls = faults.calls(Function.FADVISE);
    assertEquals(0, calls.get(0).position());
    assertEquals(LARGE, calls.stream().mapToLong(Call::length).sum());
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
