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
import java.util.stream.Stream;
import org.apache.lucene.util.Version;

/**
 * Whether the Lucene of this process is one that this artifact was compiled for, and no other
 * artifact is there that holds the same classes. There is one artifact for each major version of
 * Lucene, and with the wrong one the first file that is opened would end in a {@link LinkageError},
 * whose message tells nobody what to do.
 *
 * <p>Two of them may work by chance, as the first on the class path serves; the next machine may
 * sort them in another order.
 *
 * <p>With a later version of Lucene all may work, and a part of it no longer be in use: where a
 * method has got another result, ours overrides nothing, and Lucene's own is called. That is in the
 * log, once.
 */
public final class RightLucene {

  private static final Logger LOGGER = System.getLogger(RightLucene.class.getName());

  /** The artifacts, by the major version of Lucene that each is for. */
  private static final Map<Integer, String> ARTIFACTS =
      new TreeMap<>(Map.of(9, "lucene-pread-lucene9", 10, "lucene-pread-core"));

  /**
   * Each artifact has a file of this name beside this class, followed by the major version that it
   * is for. It holds which versions it was built for and tested with.
   */
  private static final String MARK = "lucene";

  /** What is wrong, or null: neither Lucene nor the class path changes while a process runs. */
  private static final String TROUBLE = trouble();

  static {
    if (TROUBLE == null) {
      try {
        describe();
      } catch (LinkageError | RuntimeException e) {
        // A type of a signature may be missing, and the directories work all the same.
        LOGGER.log(
            Level.WARNING,
            "which methods of Lucene " + Version.LATEST + " have another form is not known: " + e);
      }
    }
  }

  private RightLucene() {}

  /**
   * Makes sure of it.
   *
   * @throws IllegalStateException if it is not so; the message says which artifact to take instead
   */
  public static void check() {
    if (TROUBLE != null) {
      throw new IllegalStateException(TROUBLE);
    }
  }

  private static String trouble() {
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
            : "take " + right + " instead");
  }

  /** Says which versions it was built and tested for, in a warning if a part is not in use. */
  private static void describe() {
    String here = Version.LATEST.toString();
    int major = LuceneContext.OLDEST.major;
    Properties versions = new Properties();
    try (InputStream mark = RightLucene.class.getResourceAsStream(MARK + major)) {
      versions.load(Objects.requireNonNull(mark, "the class loader shows no resource"));
    } catch (IOException | RuntimeException e) {
      LOGGER.log(Level.DEBUG, "what it was built and tested for is not known", e);
    }
    String tested = versions.getProperty("tested", "unknown versions");
    String about =
        ARTIFACTS.get(major)
            + " was built for Lucene "
            + versions.getProperty("built", "of an unknown version")
            + " and tested with "
            + tested
            + ", and this is Lucene "
            + here;
    List<Method> lost =
        Stream.of(CachedPreadInput.class, PreadIndexOutput.class)
            .flatMap(type -> notOverridden(type).stream())
            .toList();
    if (lost.isEmpty()) {
      LOGGER.log(tested.contains(here) ? Level.DEBUG : Level.INFO, about);
      return;
    }
    LOGGER.log(
        Level.WARNING,
        about
            + ", in which these have another form, so that Lucene's own are in use: "
            + lost.stream().map(RightLucene::signature).distinct().sorted().collect(joining(", "))
            + (lost.stream().anyMatch(method -> Modifier.isAbstract(method.getModifiers()))
                ? ". Lucene has none of its own for some of them, and a call ends in an"
                    + " AbstractMethodError: "
                : ". What is read and written is right, but may be slow, and without prefetch no"
                    + " reads are announced: ")
            + "take a Lucene that was tested, or a later "
            + ARTIFACTS.get(major));
  }

  /**
   * Returns the methods of Lucene that a class of ours has with another result, and so does not
   * override: it was compiled when they had that one.
   */
  private static List<Method> notOverridden(Class<?> type) {
    Set<String> ours = new HashSet<>();
    List<Method> others = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (isOurs(method.getDeclaringClass())) {
        ours.add(signature(method));
      } else {
        others.add(method);
      }
    }
    others.removeIf(method -> !ours.contains(signature(method)));
    return others;
  }

  /** Its name and its parameters. */
  private static String signature(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(joining(",", method.getName() + "(", ")"));
  }

  private static boolean isOurs(Class<?> type) {
    return type.getPackageName().equals(RightLucene.class.getPackageName());
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
    URL found = RightLucene.class.getResource(MARK + major);
    if (found == null) {
      return false;
    }
    ClassLoader parent = RightLucene.class.getClassLoader().getParent();
    String folder = RightLucene.class.getPackageName().replace('.', '/');
    URL above = parent == null ? null : parent.getResource(folder + "/" + MARK + major);
    return above == null || !found.toString().equals(above.toString());
  }
}
