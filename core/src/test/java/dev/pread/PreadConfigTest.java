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
import java.util.function.IntFunction;
import org.apache.lucene.store.FSLockFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class PreadConfigTest {

  @TempDir Path folder;

  /** All values, none of which is the default. */
  private static final PreadConfig CHANGED =
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
  void toStringTellsEveryValue() {
    assertEquals(
        "PreadConfig(backend=channel, cache=BlockCache(size=0, blockSize=0), bufferSize=64,"
            + " sequentialBufferSize=128, writeBufferSize=8192, directWriteMinSize=77,"
            + " randomByDefault=true, dropBehind=false)",
        CHANGED.toString());
  }

  @Test
  void aBuilderStartsFromAnyConfiguration() {
    assertEquals(PreadConfig.DEFAULT, PreadConfig.builder().build());
    assertEquals(PreadConfig.DEFAULT, PreadConfig.DEFAULT.toBuilder().build());
    assertEquals(CHANGED, CHANGED.toBuilder().build());
    assertEquals(CHANGED.hashCode(), CHANGED.toBuilder().build().hashCode());
  }

  @Test
  void eachValueMakesADifference() {
    List<PreadConfig> others =
        List.of(
            CHANGED.toBuilder().backend("auto").build(),
            CHANGED.toBuilder().cache(null).build(),
            CHANGED.toBuilder().bufferSize(32).build(),
            CHANGED.toBuilder().sequentialBufferSize(64).build(),
            CHANGED.toBuilder().writeBufferSize(4096).build(),
            CHANGED.toBuilder().directWriteMinSize(0).build(),
            CHANGED.toBuilder().randomByDefault(false).build(),
            CHANGED.toBuilder().dropBehind(true).build());
    assertEquals(8, Set.copyOf(others).size());
    assertFalse(others.contains(CHANGED));
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
    assertEquals(16 << 10, PreadConfig.builder().bufferSize(8).build().sequentialBufferSize());
  }

  @Test
  void sizesArePowersOfTwoWithinLimits() {
    checkSize("bufferSize", 8, 1 << 20, n -> PreadConfig.builder().bufferSize(n));
    checkSize(
        "sequentialBufferSize",
        64,
        16 << 20,
        n -> PreadConfig.builder().bufferSize(64).sequentialBufferSize(n));
    checkSize("writeBufferSize", 4096, 16 << 20, n -> PreadConfig.builder().writeBufferSize(n));
  }

  private static void checkSize(
      String name, int min, int max, IntFunction<PreadConfig.Builder> builder) {
    for (int good = min; good <= max; good *= 2) {
      assertTrue(builder.apply(good).build().toString().contains(name + "=" + good));
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
      assertRefused(
          () -> builder.apply(value).build(),
          "PreadConfig."
              + name
              + " is "
              + value
              + ": use a power of two from "
              + min
              + " to "
              + max
              + " (bytes)");
    }
  }

  private static void assertRefused(Executable use, String message) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, use);
    assertEquals(message, e.getMessage());
  }

  @Test
  void otherValues() {
    assertRefused(
        () -> PreadConfig.builder().backend("nio").build(),
        "unknown backend \"nio\" from PreadConfig.backend: use auto or one of [ffm, jni,"
            + " channel]");
    assertRefused(
        () -> PreadConfig.builder().backend(null).build(),
        "unknown backend \"null\" from PreadConfig.backend: use auto or one of [ffm, jni,"
            + " channel]");
  }

  @Test
  void aBackendThatIsNotHereIsRefusedByTheDirectoryWithTheReason() {
    String missing = Fixtures.missingBackend();
    PreadConfig config = PreadConfig.builder().backend(missing).build();
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> new PreadDirectory(folder, FSLockFactory.getDefault(), config).close());
    assertTrue(
        e.getMessage().startsWith("backend " + missing + " is not available: no such artifact"),
        e.getMessage());
  }
}
