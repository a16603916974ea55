/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.report.Contender;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.store.ReadAdvice;
import org.apache.lucene.util.CommandLineUtil;

/**
 * A directory class by the name it has on the command line: a short name, or any class with a
 * public constructor {@code (Path, LockFactory)} that extends {@link FSDirectory}.
 *
 * @param name as the user wrote it; reports show it
 * @param type the class
 */
public record DirectoryKind(String name, Class<? extends FSDirectory> type) {

  /** This is mmap, told to read nothing ahead. */
  private static final String MMAP_RANDOM = "mmap-random";

  private static final Map<String, Class<? extends FSDirectory>> SHORT_NAMES =
      Map.of(
          "mmap",
          MMapDirectory.class,
          MMAP_RANDOM,
          MMapDirectory.class,
          "niofs",
          NIOFSDirectory.class,
          "pread",
          PreadDirectory.class,
          "direct",
          DirectPreadDirectory.class);

  /** Lucene's own directory that leaves nothing mapped: for what is not measured. */
  public static final DirectoryKind NEUTRAL = new DirectoryKind("niofs", NIOFSDirectory.class);

  /**
   * Looks a name up.
   *
   * @throws UserError if it is neither a short name nor a usable class
   */
  public static DirectoryKind named(String name) {
    if (SHORT_NAMES.containsKey(name)) {
      return new DirectoryKind(name, SHORT_NAMES.get(name));
    }
    String problem = "is no short name";
    if (name.indexOf('.') > 0) {
      try {
        Class<? extends FSDirectory> type = CommandLineUtil.loadFSDirectoryClass(name);
        Class<?> made = type.getConstructor(Path.class, LockFactory.class).getDeclaringClass();
        if (!Modifier.isAbstract(made.getModifiers())) {
          return new DirectoryKind(name, type);
        }
        problem = "is abstract";
      } catch (ClassNotFoundException | LinkageError e) {
        problem = "is no such class on the class path";
      } catch (ClassCastException | NoSuchMethodException e) {
        problem = "has no constructor (Path, LockFactory) of an FSDirectory";
      }
    }
    throw new UserError(
        "unknown directory '"
            + name
            + "': it "
            + problem
            + "; use "
            + String.join(", ", new TreeSet<>(SHORT_NAMES.keySet()))
            + " or the full name of a class that extends FSDirectory");
  }

  /** Who it is in reports. */
  public Contender contender() {
    boolean ours = Set.of(PreadDirectory.class, DirectPreadDirectory.class).contains(type);
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
    FSDirectory opened;
    try {
      opened = CommandLineUtil.newFSDirectory(type, path, locks);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(type.getName() + " cannot be constructed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type.getName() + " cannot be constructed", e);
    }
    if (name.equals(MMAP_RANDOM)) {
      ((MMapDirectory) opened).setReadAdvice((file, context) -> Optional.of(ReadAdvice.RANDOM));
    }
    return opened;
  }

  @Override
  public String toString() {
    return name;
  }
}
