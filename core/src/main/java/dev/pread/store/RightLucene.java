/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.lucene.util.Version;

/**
 * Finds out whether the Lucene of this process is one that this artifact was compiled for, and
 * whether no other artifact is there that holds the same classes. There is one artifact for each
 * major version of Lucene, and with the wrong one the first file that is opened would end in a
 * {@link LinkageError}, whose message tells nobody what to do.
 *
 * <p>Two of them may work by chance, as the first on the class path serves; the next machine may
 * sort them in another order.
 *
 * <p>With a later version of Lucene all may work, and a part of it no longer be in use: where a
 * method has got another name, other parameters or another result, ours overrides nothing, and
 * Lucene's own is called; and so is one that came beside ours under the same name. That is in the
 * log, once. Methods with names of their own are not looked for here, nor those that are not
 * public, such as {@code fsync}: tests ask for these with the newest Lucene.
 */
public final class RightLucene {

  private static final Logger LOGGER = System.getLogger(RightLucene.class.getName());

  /** The artifacts, by the major version of Lucene that each is for. */
  private static final Map<Integer, String> ARTIFACTS =
      new TreeMap<>(Map.of(9, "lucene-pread-lucene9", 10, "lucene-pread-core"));

  /**
   * How the name of a file beside this class begins, before the major version of Lucene that an
   * artifact is for. The file holds which versions that was built for and tested with.
   */
  private static final String VERSIONS_FILE_PREFIX = "lucene";

  /** The public methods that our classes have for each other and for users, not for Lucene. */
  private static final Set<String> NOT_FOR_LUCENE =
      Set.of("address", "backendName", "cache", "config", "usesPageCache");

  /** Lucene's own methods under names of ours that are right: each of them calls ours. */
  private static final Set<String> DEFAULTS =
      Set.of("readBytes(byte[],int,int,boolean)", "writeBytes(byte[],int)");

  /** What does not fit, or null: neither Lucene nor the class path changes while a process runs. */
  private static final String MISMATCH = mismatch();

  private RightLucene() {}

  /**
   * Makes sure that this artifact, and no other, is for the Lucene of this process.
   *
   * @throws IllegalStateException if it is not so; the message says which artifact to take instead
   */
  public static void check() {
    if (MISMATCH != null) {
      throw new IllegalStateException(MISMATCH);
    }
  }

  private static String mismatch() {
    Version here = Version.LATEST;
    Version oldest = LuceneContext.OLDEST;
    String right = ARTIFACTS.get(here.major);
    for (Map.Entry<Integer, String> other : ARTIFACTS.entrySet()) {
      if (other.getKey() != oldest.major && isHere(other.getKey())) {
        return both(here, right, oldest, other);
      }
    }
    if (here.major == oldest.major && here.onOrAfter(oldest)) {
      return null;
    }
    return ARTIFACTS.get(oldest.major)
        + " is for Lucene "
        + oldest.major
        + " from "
        + oldest
        + " on, and this is Lucene "
        + here
        + ": "
        + (right == null || here.major == oldest.major
            ? "there is no artifact for it, take another version of Lucene"
            : "take "
                + right
                + (here.major == 10 ? " with lucene-pread-ffi or lucene-pread-jni" : "")
                + " instead");
  }

  /**
   * Says which artifact this is, and which versions it was built and tested for: once for the
   * process, at debug level if this one was tested, and in a warning if a part of it is not in use
   * with this one.
   *
   * @param directories the types of the directories
   */
  public static void describe(Class<?>... directories) {
    try {
      if (MISMATCH == null) {
        tell(directories);
      }
    } catch (RuntimeException | Error e) {
      // A full heap or a deep stack is no reason to fail the first directory, and with it, since
      // this is part of the initialization of its class, all others.
    }
  }

  private static void tell(Class<?>... directories) {
    Properties versions = versions();
    String tested = versions.getProperty("tested", "unknown versions");
    boolean isTested = List.of(tested.split(", ")).contains(Version.LATEST.toString());
    String about =
        ARTIFACTS.get(LuceneContext.OLDEST.major)
            + " "
            + versions.getProperty("version", "of an unknown version")
            + " was built for Lucene "
            + versions.getProperty("built", "of an unknown version")
            + " and tested with "
            + tested
            + ", and this is Lucene "
            + Version.LATEST
            + (isTested ? "" : ", which was not tested");
    try {
      compare(about, isTested ? Level.DEBUG : Level.INFO, directories);
    } catch (LinkageError | RuntimeException e) {
      // A type of a signature may be missing, and the directories work all the same.
      log(Level.WARNING, about + "; which methods of it differ is not known: " + e, null);
    }
  }

  private static Properties versions() {
    Properties versions = new Properties();
    try (InputStream file =
        RightLucene.class.getResourceAsStream(VERSIONS_FILE_PREFIX + LuceneContext.OLDEST.major)) {
      versions.load(Objects.requireNonNull(file, "the class loader shows no resource"));
    } catch (IOException | RuntimeException e) {
      log(Level.DEBUG, "what it was built and tested for is not known", e);
    }
    return versions;
  }

  private static void compare(String about, Level level, Class<?>... directories) {
    Set<String> differences = new TreeSet<>();
    boolean canBeCalled = true;
    List<Class<?>> types = new ArrayList<>(List.of(directories));
    types.addAll(List.of(CachedPreadInput.class, PreadIndexOutput.class));
    for (Class<?> type : types) {
      canBeCalled &= addDifferences(type, differences);
    }
    // Of these there are none where something that is called is missing.
    addDifferences(CachedInputs.best().type(), differences);
    if (differences.isEmpty()) {
      log(level, about, null);
      return;
    }
    log(
        Level.WARNING,
        about
            + ", in which these differ, so that Lucene's own are in use: "
            + String.join(", ", differences)
            + (canBeCalled
                ? ". What is read and written is right, but may be slow, and without prefetch no"
                    + " reads are announced: "
                : ". Lucene has none of its own for some of them, and a call ends in an"
                    + " AbstractMethodError: ")
            + "take a Lucene that was tested, or a later "
            + ARTIFACTS.get(LuceneContext.OLDEST.major),
        null);
  }

  /**
   * Logs a line if it can, as {@link dev.pread.posix.QuietLog} does, which a log in the JDK's
   * format would name as the place of the line.
   */
  private static void log(Level level, String line, Throwable thrown) {
    try {
      LOGGER.log(level, line, thrown);
    } catch (RuntimeException | Error e) {
      // There is nobody to tell.
    }
  }

  /**
   * Adds the methods of Lucene that have the name of one of ours and that a class of ours does not
   * override, and those of ours that override none. Methods that are not public would need a
   * permission to look at them, in a server that has a security manager.
   *
   * @return whether none of Lucene's is abstract
   */
  private static boolean addDifferences(Class<?> type, Set<String> differences) {
    Set<String> names = new HashSet<>();
    Set<String> overriding = new HashSet<>();
    Set<String> unused = new TreeSet<>();
    for (Method method : type.getMethods()) {
      if (isOurs(method.getDeclaringClass()) && !Modifier.isStatic(method.getModifiers())) {
        names.add(method.getName());
        overriding.add(signature(method) + method.getReturnType());
        unused.add(signature(method));
      }
    }
    boolean canBeCalled = true;
    for (Method method : ofLucene(type)) {
      int modifiers = method.getModifiers();
      if (overriding.contains(signature(method) + method.getReturnType())) {
        unused.remove(signature(method));
      } else if (names.contains(method.getName())
          && !Modifier.isStatic(modifiers)
          && !Modifier.isFinal(modifiers)
          && !DEFAULTS.contains(signature(method))) {
        differences.add(signature(method));
        canBeCalled &= !Modifier.isAbstract(modifiers);
      }
    }
    for (Method method : LuceneInput.class.getDeclaredMethods()) {
      // Some versions have it.
      unused.remove(signature(method));
    }
    unused.removeIf(method -> NOT_FOR_LUCENE.contains(method.substring(0, method.indexOf('('))));
    differences.addAll(unused);
    return canBeCalled;
  }

  /** Returns the public methods of the types that a class of ours extends and implements. */
  private static List<Method> ofLucene(Class<?> ours) {
    List<Method> methods = new ArrayList<>();
    for (Class<?> type = ours; type != null; type = isOurs(type) ? type.getSuperclass() : null) {
      Class<?>[] theirs = isOurs(type) ? type.getInterfaces() : new Class<?>[] {type};
      for (Class<?> each : theirs) {
        if (!isOurs(each)) {
          methods.addAll(List.of(each.getMethods()));
        }
      }
    }
    return methods;
  }

  /** Returns the name and the parameters of a method. */
  private static String signature(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(joining(",", method.getName() + "(", ")"));
  }

  private static boolean isOurs(Class<?> type) {
    return type.getPackageName().startsWith("dev.pread");
  }

  private static String both(
      Version here, String right, Version oldest, Map.Entry<Integer, String> other) {
    return ARTIFACTS.get(oldest.major)
        + " (for Lucene "
        + oldest.major
        + ") and "
        + other.getValue()
        + " (for Lucene "
        + other.getKey()
        + ") are both on the class path, and hold the same classes: keep "
        + (right == null ? "the one that is for your Lucene" : right)
        + " alone, since this is Lucene "
        + here;
  }

  /**
   * Returns whether an artifact is where this class comes from. What a parent of its class loader
   * has is not in use here.
   */
  private static boolean isHere(int major) {
    URL found = RightLucene.class.getResource(VERSIONS_FILE_PREFIX + major);
    if (found == null) {
      return false;
    }
    ClassLoader parent = RightLucene.class.getClassLoader().getParent();
    String folder = RightLucene.class.getPackageName().replace('.', '/');
    URL above =
        parent == null ? null : parent.getResource(folder + "/" + VERSIONS_FILE_PREFIX + major);
    return above == null || !found.toString().equals(above.toString());
  }
}
