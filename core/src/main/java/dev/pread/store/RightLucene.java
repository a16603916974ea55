/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.net.URL;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.util.Version;

/**
 * Whether the Lucene of this process is one that this artifact was compiled for, and no other
 * artifact is there that holds the same classes. There is one artifact for each major version of
 * Lucene, and with the wrong one the first file that is opened would end in a {@link LinkageError},
 * whose message tells nobody what to do.
 *
 * <p>Two of them may work by chance, as the first on the class path serves; the next machine may
 * sort them in another order.
 */
public final class RightLucene {

  /** The artifacts, by the major version of Lucene that each is for. */
  private static final Map<Integer, String> ARTIFACTS =
      new TreeMap<>(Map.of(9, "lucene-pread-lucene9", 10, "lucene-pread-core"));

  /**
   * Each artifact has a file of this name beside this class, followed by the major version that it
   * is for.
   */
  private static final String MARK = "lucene";

  /** What is wrong, or null: neither Lucene nor the class path changes while a process runs. */
  private static final String TROUBLE = trouble();

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
