/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;
import org.apache.lucene.util.IOSupplier;
import org.apache.lucene.util.Version;

/**
 * Tells failures that the user can put right from defects: the one place that knows how the system
 * and Lucene put them.
 */
public final class IndexErrors {
  private static final Pattern FULL =
      Pattern.compile("(?i)no space left on device|disk quota exceeded|enospc|edquot");

  private IndexErrors() {}

  /** Builds an index in a work folder; what the user can put right becomes a {@link UserError}. */
  public static <T> T building(Path work, IOSupplier<T> task) throws IOException {
    return run(task, e -> whileBuilding(work, e));
  }

  /** Opens an existing index, and likewise. */
  public static <T> T opening(Path index, IOSupplier<T> task) throws IOException {
    return run(task, e -> whileOpening("index " + index, e));
  }

  private static <T> T run(IOSupplier<T> task, Function<Exception, UserError> translation)
      throws IOException {
    try {
      return task.get();
    } catch (IOException | RuntimeException e) {
      UserError error = translation.apply(e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }

  /** Null if it is nothing a user could put right. */
  private static UserError whileBuilding(Path work, Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException && FULL.matcher("" + cause.getMessage()).find()) {
        return new UserError(
            "no space left for the index in "
                + work
                + ": free some, take a smaller --corpus, or name another folder with --work",
            e);
      }
      if (cause instanceof AccessDeniedException) {
        return new UserError("work folder " + work + " may not be written: name another --work", e);
      }
    }
    return null;
  }

  /** Null if it is nothing a user could put right. */
  private static UserError whileOpening(String name, Exception e) {
    if (e instanceof IndexNotFoundException) {
      return new UserError(name + " holds no Lucene index: name a folder with a segments file", e);
    }
    if (e instanceof IndexFormatTooOldException || e instanceof IndexFormatTooNewException) {
      return new UserError(
          name
              + " has a version that Lucene "
              + Version.LATEST
              + " cannot read: reindex it, or take one of this major version or the one before",
          e);
    }
    boolean codec = e instanceof IllegalArgumentException && e.getMessage().contains("SPI class");
    if (codec || e instanceof CorruptIndexException || e instanceof AccessDeniedException) {
      return new UserError(
          name
              + " cannot be read ("
              + e
              + "): it has to be whole and yours, and its codecs have to be on the class path",
          e);
    }
    return null;
  }
}
