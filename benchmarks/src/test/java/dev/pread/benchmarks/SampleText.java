/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** A small corpus with a vocabulary of words that are rare and frequent, as in any language. */
public final class SampleText {
  private static final int FILES = 20;
  private static final int LINES = 300;
  private static final int WORDS_PER_LINE = 8;
  private static final int VOCABULARY = 2_000;

  private SampleText() {}

  /** Writes the corpus into a folder that it makes. */
  public static Path write(Path folder) throws IOException {
    Files.createDirectories(folder);
    SplittableRandom random = new SplittableRandom(7);
    for (int file = 0; file < FILES; file++) {
      Files.writeString(folder.resolve("file" + file + ".txt"), text(random));
    }
    return folder;
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      int words = random.nextInt(WORDS_PER_LINE) + 1;
      for (int i = 0; i < words; i++) {
        // The product of two uniform numbers is small more often than not.
        int rank = (int) (random.nextDouble() * random.nextDouble() * VOCABULARY);
        text.append('w').append(rank).append(' ');
      }
      text.append('\n');
    }
    return text.toString();
  }
}
