/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Contender;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.store.ReadAdvice;
import org.apache.lucene.util.CommandLineUtil;
import org.apache.lucene.util.IOUtils;

/**
 * Names a directory class as the command line does: by a short name, or as any class with a public
 * constructor {@code (Path, LockFactory)} that extends {@link FSDirectory}.
 *
 * @param name as the user wrote it; reports show it
 */
public record DirectoryKind(String name, Class<? extends FSDirectory> type) {

  /** The name of mmap that is told to read nothing ahead. */
  private static final String MMAP_RANDOM = "mmap-random";

  /** The directory of Lucene's that leaves nothing mapped, for what is not measured. */
  public static final DirectoryKind NEUTRAL = new DirectoryKind("niofs", NIOFSDirectory.class);

  /**
   * Looks a name up.
   *
   * @throws UserError if it is neither a short name nor a usable class
   */
  public static DirectoryKind named(String name) {
    try {
      Class<? extends FSDirectory> type =
          switch (name) {
            case "mmap", MMAP_RANDOM -> MMapDirectory.class;
            case "niofs" -> NIOFSDirectory.class;
            case "pread" -> PreadDirectory.class;
            case "direct" -> DirectPreadDirectory.class;
            default -> CommandLineUtil.loadFSDirectoryClass(name);
          };
      type = type.getConstructor(Path.class, LockFactory.class).getDeclaringClass();
      if (Modifier.isAbstract(type.getModifiers())) {
        throw new InstantiationException(name + " is abstract");
      }
      return new DirectoryKind(name, type);
    } catch (ReflectiveOperationException
        | LinkageError
        | ClassCastException
        | IllegalArgumentException e) {
      throw new UserError(
          String.format(
              Locale.ROOT,
              "unknown directory '%s': use mmap, mmap-random, niofs, pread, direct, or the full name"
                  + " of a class on the class path that extends FSDirectory and has a public"
                  + " constructor (Path, LockFactory); %s",
              name,
              e),
          e);
    }
  }

  /** Looks several names up, each once. */
  public static List<DirectoryKind> named(List<String> names) {
    return names.stream().map(String::strip).distinct().map(DirectoryKind::named).toList();
  }

  public Contender contender() {
    boolean ours = type == PreadDirectory.class || type == DirectPreadDirectory.class;
    return ours ? Contender.ours(name) : Contender.other(name);
  }

  /** Opens it to write an index: with the lock that keeps a second writer out. */
  public FSDirectory openForWriting(Path path) throws IOException {
    return open(path, FSLockFactory.getDefault());
  }

  /** Opens it to read only: without any lock, hence without a lock file. */
  public FSDirectory openForReading(Path path) throws IOException {
    return open(path, NoLockFactory.INSTANCE);
  }

  private FSDirectory open(Path path, LockFactory locks) throws IOException {
    try {
      FSDirectory opened = CommandLineUtil.newFSDirectory(type, path, locks);
      if (name.equals(MMAP_RANDOM)) {
        ((MMapDirectory) opened).setReadAdvice((file, context) -> Optional.of(ReadAdvice.RANDOM));
      }
      return opened;
    } catch (LinkageError e) {
      throw new UserError(name + " cannot be had with this Lucene, leave it out: " + e, e);
    } catch (InvocationTargetException e) {
      throw IOUtils.rethrowAlways(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type.getName() + " cannot be constructed", e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
