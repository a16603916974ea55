/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackendsTest {

  @Test
  void namesInOrderOfPreference() {
    assertEquals(List.of("ffm", "jni", "channel"), Backends.names());
  }

  @Test
  void eachNameGivesItsBackendOrTheReasonWhyNot() {
    int available = 0;
    for (String name : Backends.names()) {
      Backend backend;
      try {
        backend = Backends.get(name);
      } catch (IllegalStateException e) {
        String start = "backend " + name + " is not available: ";
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
        assertTrue(e.getMessage().length() > start.length() + 10, "no reason: " + e.getMessage());
        continue;
      }
      available++;
      assertEquals(name, backend.posix().name());
      assertSame(backend, Backends.get(name), "loaded once");
      assertTrue(backend.toString().contains(name), backend.toString());
    }
    assertTrue(available > 0, "channel is always there");
    assertEquals("channel", Backends.get("channel").posix().name());
  }

  @Test
  void autoIsTheFirstThatIsAvailable() {
    Backend auto = Backends.get(Backends.AUTO);
    for (String name : Backends.names()) {
      if (name.equals(auto.posix().name())) {
        assertSame(auto, Backends.get(name));
        return;
      }
      assertThrows(IllegalStateException.class, () -> Backends.get(name));
    }
    throw new AssertionError("auto gave a backend without a name: " + auto);
  }

  @Test
  void aBackendThatIsNotOnTheClassPathSaysSo() {
    String other = Fixtures.missingBackend();
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> Backends.get(other));
    assertEquals(
        "backend " + other + " is not available: no such artifact on the class path",
        e.getMessage());
  }

  @Test
  void unknownNamesAreRefusedWithTheNamesThereAre() {
    for (String name : List.of("", "mmap", "FFM", " ffm", "auto,ffm")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> Backends.get(name));
      assertTrue(e.getMessage().contains("\"" + name + "\""), e.getMessage());
      assertTrue(e.getMessage().contains("auto or one of [ffm, jni, channel]"), e.getMessage());
    }
  }

  @Test
  void thePropertyIsCheckedAndForgivesCaseAndSpace() {
    String before = System.getProperty(Backends.PROPERTY);
    try {
      System.setProperty(Backends.PROPERTY, " Channel ");
      assertEquals("channel", Backends.configured());
      System.clearProperty(Backends.PROPERTY);
      assertEquals(Backends.AUTO, Backends.configured());
      System.setProperty(Backends.PROPERTY, "nio");
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, Backends::configured);
      assertEquals(
          "unknown backend \"nio\" from -Ddev.pread.backend: use auto or one of [ffm, jni,"
              + " channel]",
          e.getMessage());
    } finally {
      if (before == null) {
        System.clearProperty(Backends.PROPERTY);
      } else {
        System.setProperty(Backends.PROPERTY, before);
      }
    }
  }

  @Test
  void theBackendOfThisRunIsTheOneTheModuleConfigures() {
    assertEquals(
        System.getProperty(Backends.PROPERTY), Fixtures.backend().posix().name(), "see pom.xml");
  }
}
