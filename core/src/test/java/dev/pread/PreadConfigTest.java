/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.FSLockFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreadConfigTest {

  @TempDir Path folder;

  /** All values, none of which is the default. */
  private static final PreadConfig NOTHING_DEFAULT =
      PreadConfig.builder()
          .backend("channel")
          .bufferSize(64)
          .sequentialBufferSize(128)
          .writeBufferSize(8192)
          .directWriteMinSize(77)
          .cache(Fixtures.NO_CACHE)
          .randomByDefault(true)
          .dropBehind(false)
          .build();

  @Test
  void toStringTellsEveryOption() {
    Fixtures.assertNames(
        NOTHING_DEFAULT.toString(),
        "backend=channel",
        "cache=" + Fixtures.NO_CACHE,
        "bufferSize=64",
        "directWriteMinSize=77",
        "randomByDefault=true",
        "dropBehind=false");
  }

  @Test
  void aBuilderStartsFromAnyConfiguration() {
    assertEquals(PreadConfig.DEFAULT, PreadConfig.builder().build());
    assertEquals(PreadConfig.DEFAULT, PreadConfig.DEFAULT.toBuilder().build());
    assertEquals(NOTHING_DEFAULT, NOTHING_DEFAULT.toBuilder().build());
    assertEquals(NOTHING_DEFAULT.hashCode(), NOTHING_DEFAULT.toBuilder().build().hashCode());
  }

  @Test
  void eachValueMakesADifference() {
    List<PreadConfig> others =
        List.of(
            NOTHING_DEFAULT.toBuilder().backend("auto").build(),
            NOTHING_DEFAULT.toBuilder().cache(null).build(),
            NOTHING_DEFAULT.toBuilder().bufferSize(32).build(),
            NOTHING_DEFAULT.toBuilder().sequentialBufferSize(64).build(),
            NOTHING_DEFAULT.toBuilder().writeBufferSize(4096).build(),
            NOTHING_DEFAULT.toBuilder().directWriteMinSize(0).build(),
            NOTHING_DEFAULT.toBuilder().randomByDefault(false).build(),
            NOTHING_DEFAULT.toBuilder().dropBehind(true).build());
    assertEquals(8, Set.copyOf(others).size());
    assertFalse(others.contains(NOTHING_DEFAULT));
  }

  @Test
  void theDirectoryTellsWhatItWasMadeWith() throws Exception {
    PreadConfig config = PreadConfig.builder().bufferSize(64).build();
    try (PreadDirectory directory =
        new PreadDirectory(folder, FSLockFactory.getDefault(), config)) {
      assertSame(config, directory.config());
      assertEquals(Fixtures.backend().calls().name(), directory.backendName());
      assertTrue(
          directory.toString().endsWith(" backend=" + directory.backendName()),
          directory.toString());
    }
    try (PreadDirectory directory = new PreadDirectory(folder)) {
      assertEquals(PreadConfig.DEFAULT, directory.config());
    }
  }

  @Test
  void aLargerBufferRaisesThatForSequentialAccess() {
    assertEquals(1 << 20, PreadConfig.builder().bufferSize(1 << 20).build().sequentialBufferSize());
    assertEquals(
        PreadConfig.DEFAULT.sequentialBufferSize(),
        PreadConfig.builder().bufferSize(8).build().sequentialBufferSize());
    PreadConfig again = PreadConfig.builder().bufferSize(1 << 20).bufferSize(1024).build();
    assertEquals(PreadConfig.DEFAULT.sequentialBufferSize(), again.sequentialBufferSize());
    assertEquals(PreadConfig.builder().bufferSize(1024).build(), again);
    PreadConfig large = PreadConfig.builder().bufferSize(1 << 20).build();
    assertEquals(again, large.toBuilder().bufferSize(1024).build());
  }

  @Test
  void theBufferSizeIsAPowerOfTwoWithinLimits() {
    int min = 8;
    int max = 1 << 20;
    for (int good = min; good <= max; good *= 2) {
      assertEquals(good, PreadConfig.builder().bufferSize(good).build().bufferSize());
    }
    int[] bad = {
      Integer.MIN_VALUE,
      -max,
      -1,
      0,
      1,
      min / 2,
      min - 1,
      min + 1,
      max - 1,
      max + 1,
      2 * max,
      Integer.MAX_VALUE
    };
    for (int value : bad) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class,
              () -> PreadConfig.builder().bufferSize(value).build());
      Fixtures.assertNames(e, "PreadConfig.bufferSize", value, min, max);
    }
  }

  @Test
  void backendsThatDoNotExistAreRefusedWithThoseThatDo() {
    for (String backend : new String[] {"nio", null}) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class, () -> PreadConfig.builder().backend(backend).build());
      Fixtures.assertNames(
          e, "PreadConfig.backend", String.valueOf(backend), "auto", "ffm", "jni", "channel");
    }
  }

  @Test
  void aBackendThatIsNotHereIsRefusedByTheDirectoryWithTheReason() {
    String missing = Fixtures.missingBackend();
    PreadConfig config = PreadConfig.builder().backend(missing).build();
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> new PreadDirectory(folder, FSLockFactory.getDefault(), config).close());
    Fixtures.assertNames(e, missing);
  }
}
