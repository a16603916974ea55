/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.store.CachedPreadInput;
import dev.pread.store.PreadIndexOutput;
import dev.pread.store.RightLucene;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.lucene.store.DataInput;
import org.apache.lucene.store.DataOutput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.RandomAccessInput;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What this version of Lucene can call, and whether it gets an answer of ours: a method that a
 * later version adds, or whose parameters or result it changes, would be answered by Lucene's
 * default, and nobody would notice that it is slow.
 *
 * <p>{@code .ci/run nightly} asks this of the newest Lucene that there is, within {@code
 * [10.5,10.999]}: not of Lucene 11, which needs an artifact of its own.
 */
class LuceneApiTest {

  /** Lucene's own methods that are right for our inputs: each of them only calls others. */
  private static final Set<String> INPUT_DEFAULTS =
      Set.of(
          "readBytes(byte[],int,int,boolean)",
          "readGroupVInt(int[],int)",
          "readGroupVInt(long[],int)",
          "readGroupVInts(long[],int)",
          "readMapOfStrings()",
          "readSetOfStrings()",
          "readString()",
          "readVLong()",
          "readZInt()",
          "readZLong()",
          "isLoaded()",
          "randomAccessSlice(long,long)",
          "getFullSliceDescription(String)");

  private static final Set<String> OUTPUT_DEFAULTS =
      Set.of(
          "alignFilePointer(int)",
          "alignOffset(long,int)",
          "copyBytes(DataInput,long)",
          "getName()",
          "toString()",
          "writeBytes(byte[],int)",
          "writeGroupVInts(int[],int)",
          "writeGroupVInts(long[],int)",
          "writeMapOfStrings(Map)",
          "writeSetOfStrings(Set)",
          "writeString(String)",
          "writeVInt(int)",
          "writeVLong(long)",
          "writeZInt(int)",
          "writeZLong(long)");

  private static final Set<String> DIRECTORY_DEFAULTS =
      Set.of(
          "copyFrom(Directory,String,String,IOContext)",
          "obtainLock(String)",
          "openChecksumInput(String)",
          "openChecksumInput(String,IOContext)",
          "getTempFileName(String,String,long)");

  /** Their own methods are defaults, whichever of them has one. */
  private static final Set<Class<?>> SHARED =
      Set.of(DataInput.class, IndexInput.class, DataOutput.class, IndexOutput.class);

  @Test
  void allReadsAreOurs() {
    Set<String> left =
        leftToLucene(
            CachedPreadInput.class, DataInput.class, IndexInput.class, RandomAccessInput.class);
    left.removeAll(INPUT_DEFAULTS);
    assertEquals(Set.of(), left, "what to do about them in Lucene " + Version.LATEST);
  }

  @Test
  void allWritesAreOurs() {
    Set<String> left = leftToLucene(PreadIndexOutput.class, DataOutput.class, IndexOutput.class);
    left.removeAll(OUTPUT_DEFAULTS);
    assertEquals(Set.of(), left, "what to do about them in Lucene " + Version.LATEST);
  }

  @ParameterizedTest
  @ValueSource(classes = {PreadDirectory.class, DirectPreadDirectory.class})
  void allOfADirectoryIsOursOrThatOfFiles(Class<?> directory) {
    Set<String> left = leftToLucene(directory, Directory.class);
    left.removeAll(DIRECTORY_DEFAULTS);
    assertEquals(Set.of(), left, "what to do about them in Lucene " + Version.LATEST);
  }

  /** Returns the methods that have a default in Lucene's types, and no other answer in ours. */
  private static Set<String> leftToLucene(Class<?> ours, Class<?>... theirs) {
    Set<String> left = new TreeSet<>();
    for (Class<?> type : theirs) {
      for (Method method : type.getDeclaredMethods()) {
        int modifiers = method.getModifiers();
        boolean canBeOurs =
            (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers))
                && !Modifier.isAbstract(modifiers)
                && !Modifier.isStatic(modifiers)
                && !Modifier.isFinal(modifiers)
                && !method.isBridge()
                && !method.isSynthetic();
        if (canBeOurs && !isOverridden(method, ours)) {
          left.add(
              Arrays.stream(method.getParameterTypes())
                  .map(Class::getSimpleName)
                  .collect(Collectors.joining(",", method.getName() + "(", ")")));
        }
      }
    }
    return left;
  }

  private static boolean isOverridden(Method method, Class<?> ours) {
    for (Class<?> type = ours; type != null; type = type.getSuperclass()) {
      boolean isIn =
          Arrays.stream(type.getDeclaredMethods())
              .anyMatch(
                  own ->
                      own.getName().equals(method.getName())
                          && own.getReturnType() == method.getReturnType()
                          && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
      if (isIn) {
        // The one that is found first is the one that answers.
        return type != method.getDeclaringClass() && !SHARED.contains(type);
      }
    }
    return false;
  }

  /** What it says of this version is no reason to fail the first directory of a process. */
  @Test
  void aLogThatFailsFailsNoDirectory() {
    try (FailingLog log = new FailingLog(RightLucene.class.getName())) {
      RightLucene.describe(PreadDirectory.class, DirectPreadDirectory.class);
      assertEquals(1, log.told());
    }
  }
}
