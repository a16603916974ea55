/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.CommandLineUtil;

/**
 * A directory class by the name it has on the command line: a short name, or any class with a
 * public constructor {@code (Path, LockFactory)} that extends {@link FSDirectory}.
 *
 * @param name as the user wrote it; reports show it
 * @param type the class
 */
public record DirectoryKind(String name, Class<? extends FSDirectory> type) {

  private static final Map<String, Class<? extends FSDirectory>> SHORT_NAMES =
      Map.of(
          "mmap", MMapDirectory.class,
          "niofs", NIOFSDirectory.class,
          "pread", PreadDirectory.class,
          "direct", DirectPreadDirectory.class);

  /**
   * Looks a name up.
   *
   * @throws UserError if it is neither a short name nor a usable class
   */
  public static DirectoryKind named(String name) throws UserError {
    if (SHORT_NAMES.containsKey(name)) {
      return new DirectoryKind(name, SHORT_NAMES.get(name));
    }
    String allowed =
        "use "
            + String.join(", ", new TreeSet<>(SHORT_NAMES.keySet()))
            + " or the full name of a class that extends FSDirectory";
    if (name.indexOf('.') < 0) {
      throw new UserError("unknown directory '" + name + "': " + allowed);
    }
    try {
      Class<? extends FSDirectory> type = CommandLineUtil.loadFSDirectoryClass(name);
      Class<?> made = type.getConstructor(Path.class, LockFactory.class).getDeclaringClass();
      if (Modifier.isAbstract(made.getModifiers())) {
        throw new NoSuchMethodException(name + " is abstract");
      }
      return new DirectoryKind(name, type);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new UserError(
          "unknown directory '" + name + "': no such class on the class path; " + allowed, e);
    } catch (ClassCastException | NoSuchMethodException e) {
      throw new UserError(
          "directory '" + name + "' has no constructor (Path, LockFactory) to use: " + allowed, e);
    }
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
      return CommandLineUtil.newFSDirectory(type, path, locks);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(type.getName() + " cannot be constructed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type.getName() + " cannot be constructed", e);
    }
  }
}
