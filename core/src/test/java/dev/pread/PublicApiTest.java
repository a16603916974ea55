/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What users can see of the package that is exported to them is what {@code public-api.txt} lists,
 * so that nothing is added or taken away by accident.
 */
class PublicApiTest {

  private static final String LIST = "public-api.txt";

  @Test
  void isWhatTheListSays() throws IOException {
    StringBuilder api = new StringBuilder();
    for (Class<?> type : types()) {
      api.append(type.toGenericString());
      Class<?> above = type.getSuperclass();
      while (!isVisible(above.getModifiers())) {
        above = above.getSuperclass();
      }
      api.append(" extends ").append(above.getName());
      for (Class<?> implemented : type.getInterfaces()) {
        api.append(" implements ").append(implemented.getName());
      }
      api.append('\n');
      members(type).forEach(member -> api.append("  ").append(member).append('\n'));
    }
    Path actual = Path.of("target", LIST);
    Files.writeString(actual, api);
    try (InputStream listed = PublicApiTest.class.getResourceAsStream(LIST)) {
      assertEquals(
          new String(listed.readAllBytes(), StandardCharsets.UTF_8),
          api.toString(),
          "if this change of the API is intended, the list is to become as " + actual);
    }
  }

  /** One value more in a record or an enum breaks those who use it. */
  @Test
  void canGrow() {
    for (Class<?> type : types()) {
      assertFalse(type.isRecord() || type.isEnum(), type.getName());
    }
  }

  @Test
  void configurationIsFreeOfLucene() {
    for (Class<?> type : List.of(PreadConfig.class, PreadConfig.Builder.class)) {
      members(type).forEach(member -> assertFalse(member.contains("lucene"), member));
    }
  }

  private static List<? extends Class<?>> types() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.pread")
            .stream()
            .filter(type -> type.getPackageName().equals("dev.pread"))
            .map(JavaClass::reflect)
            .filter(PublicApiTest::isVisible)
            .sorted(Comparator.comparing(Class::getName))
            .toList();
  }

  private static boolean isVisible(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return isVisible(type.getModifiers()) && (outer == null || isVisible(outer));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  /** Returns those of the type, and of classes above it that are not listed themselves. */
  private static Stream<String> members(Class<?> type) {
    List<String> members = new ArrayList<>();
    for (Class<?> from = type;
        from == type || !isVisible(from.getModifiers());
        from = from.getSuperclass()) {
      String prefix = from.getName() + ".";
      Stream.of(from.getDeclaredFields(), from.getDeclaredConstructors(), from.getDeclaredMethods())
          .<Member>flatMap(Arrays::stream)
          .filter(member -> isVisible(member.getModifiers()) && !member.isSynthetic())
          .map(PublicApiTest::text)
          .map(text -> text.replace(prefix, ""))
          .forEach(members::add);
    }
    return members.stream().distinct().sorted();
  }

  private static String text(Member member) {
    return member instanceof Field field
        ? field.toGenericString()
        : ((Executable) member).toGenericString();
  }
}
