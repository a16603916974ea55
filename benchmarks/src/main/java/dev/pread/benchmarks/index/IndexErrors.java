/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.machine.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;
import org.apache.lucene.util.IOSupplier;
import org.apache.lucene.util.Version;

/**
 * Tells failures that the user can put right from defects. No other class knows how the system and
 * Lucene put them.
 */
public final class IndexErrors {
  private static final Pattern NO_SPACE =
      Pattern.compile("(?i)no space left on device|disk quota exceeded|enospc|edquot");

  private IndexErrors() {}

  /** Builds an index in a work folder; what the user can put right becomes a {@link UserError}. */
  public static <T> T building(Path work, IOSupplier<T> task) throws IOException {
    try {
      return task.get();
    } catch (IOException | RuntimeException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof IOException && NO_SPACE.matcher("" + cause.getMessage()).find()) {
          String remedy = ": free some, take a smaller --corpus, or name another --work";
          throw new UserError("no space left for the index in " + work + remedy, e);
        }
        if (cause instanceof AccessDeniedException) {
          String words = "work folder " + work + " may not be written: name another --work";
          throw new UserError(words, e);
        }
      }
      throw e;
    }
  }

  /** Opens an existing index; what the user can put right becomes a {@link UserError}. */
  public static <T> T opening(Path index, IOSupplier<T> task) throws IOException {
    try {
      return task.get();
    } catch (IndexNotFoundException e) {
      String words = " holds no Lucene index: name a folder with a segments file";
      throw new UserError("index " + index + words, e);
    } catch (IOException | IllegalArgumentException e) {
      boolean version =
          e instanceof IndexFormatTooOldException || e instanceof IndexFormatTooNewException;
      boolean codec = e instanceof IllegalArgumentException && e.getMessage().contains("SPI class");
      if (version
          || codec
          || e instanceof CorruptIndexException
          || e instanceof AccessDeniedException) {
        throw new UserError(
            String.format(
                Locale.ROOT,
                "index %s cannot be read by Lucene %s (%s): it has to be whole and yours, of this"
                    + " major version or the one before, and its codecs on the class path",
                index,
                Version.LATEST,
                e),
            e);
      }
      throw e;
    }
  }
}
