/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.ReadAdvice;

/**
 * What can take part, by its name on the command line: all that {@link DirectoryKind} knows, and
 * {@code mmap-random}, which is mmap told to read nothing ahead. {@code fio} is a name too, where
 * the device itself takes part.
 *
 * @param name as the user wrote it
 * @param directory that is opened, null for fio
 */
public record ReadKind(String name, DirectoryKind directory) {
  public static final String FIO = "fio";
  private static final String MMAP_RANDOM = "mmap-random";

  /**
   * Looks a name up.
   *
   * @throws UserError if it is unknown
   */
  public static ReadKind named(String name) throws UserError {
    return switch (name) {
      case FIO -> new ReadKind(FIO, null);
      case MMAP_RANDOM -> new ReadKind(name, DirectoryKind.named("mmap"));
      default -> new ReadKind(name, DirectoryKind.named(name));
    };
  }

  public boolean isFio() {
    return directory == null;
  }

  /** Opens it without a lock. */
  public FSDirectory openForReading(Path path) throws IOException {
    return advised(directory.openForReading(path));
  }

  /** Opens it with the lock that keeps a second writer out. */
  public FSDirectory openForWriting(Path path) throws IOException {
    return advised(directory.openForWriting(path));
  }

  private FSDirectory advised(FSDirectory opened) {
    if (name.equals(MMAP_RANDOM)) {
      ((MMapDirectory) opened).setReadAdvice((file, context) -> Optional.of(ReadAdvice.RANDOM));
    }
    return opened;
  }
}
