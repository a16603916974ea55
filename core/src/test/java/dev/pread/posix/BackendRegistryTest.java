/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BackendRegistryTest {

  @Test
  void namesInOrderOfPreference() {
    assertEquals(List.of("ffm", "jni", "channel"), BackendRegistry.names());
  }

  @Test
  void eachNameGivesItsBackendOrTheReasonWhyNot() {
    int available = 0;
    for (String name : BackendRegistry.names()) {
      Backend backend;
      try {
        backend = BackendRegistry.get(name);
      } catch (IllegalStateException e) {
        String start = "backend " + name + " is not available: ";
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
        assertTrue(e.getMessage().length() > start.length() + 10, "no reason: " + e.getMessage());
        continue;
      }
      available++;
      assertEquals(name, backend.calls().name());
      assertSame(backend, BackendRegistry.get(name), "loaded once");
      assertTrue(backend.toString().contains(name), backend.toString());
    }
    assertTrue(available > 0, "channel is always there");
    assertEquals("channel", BackendRegistry.get("channel").calls().name());
  }

  @Test
  void autoIsTheFirstThatIsAvailable() {
    Backend auto = BackendRegistry.get(BackendRegistry.AUTO);
    for (String name : BackendRegistry.names()) {
      if (name.equals(auto.calls().name())) {
        assertSame(auto, BackendRegistry.get(name));
        return;
      }
      assertThrows(IllegalStateException.class, () -> BackendRegistry.get(name));
    }
    throw new AssertionError("auto gave a backend without a name: " + auto);
  }

  @Test
  void aBackendThatIsNotOnTheClassPathSaysSo() {
    String other = Fixtures.missingBackend();
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> BackendRegistry.get(other));
    assertEquals(
        "backend "
            + other
            + " is not available: lucene-pread-"
            + (other.equals("ffm") ? "ffi" : other)
            + " is not on the class path",
        e.getMessage());
  }

  @Test
  void aBackendThatCanNotBeLoadedSaysWhyAndTheOthersWork() {
    // A class initializer hides its reason from those who come first, and from those after them.
    for (int i = 0; i < 2; i++) {
      failsWith(() -> Denied.CALLS, "SecurityException: no thread for you");
    }
    failsWith(
        () -> {
          throw new SecurityException("access denied to /libpread_jni.so");
        },
        "SecurityException: access denied to /libpread_jni.so");
    failsWith(
        () -> {
          throw new OutOfMemoryError("Java heap space");
        },
        "OutOfMemoryError: Java heap space");
    failsWith(
        () -> {
          throw new StackOverflowError("too deep");
        },
        "StackOverflowError: too deep");
    failsWith(
        () -> {
          throw new IllegalStateException("a provider's own");
        },
        "IllegalStateException: a provider's own");
  }

  /** As a {@link java.util.ServiceLoader} on a class loader that has been closed. */
  @Test
  void aClassLoaderThatFailsForEverIsAskedForAWhile() {
    Error failure = new ServiceConfigurationError("by script", new IOException("closed"));
    BackendRegistry registry =
        assertTimeoutPreemptively(
            Duration.ofSeconds(Fixtures.TIMEOUT_SECONDS),
            () -> new BackendRegistry(failing(Long.MAX_VALUE, failure)));
    for (String name : List.of("ffm", "jni")) {
      Fixtures.assertNames(
          assertThrows(IllegalStateException.class, () -> registry.backend(name)),
          "by script",
          "closed");
    }
    assertEquals("channel", registry.backend(BackendRegistry.AUTO).calls().name());
  }

  @Test
  void aProviderThatCanNotBeLoadedIsToldFromTheOther() {
    for (Error failure :
        List.of(
            new ServiceConfigurationError("Provider dev.pread.jni.Calls not found"),
            new NoClassDefFoundError("dev/pread/jni/Calls"))) {
      BackendRegistry registry = new BackendRegistry(failing(1, failure));
      Fixtures.assertNames(
          assertThrows(IllegalStateException.class, () -> registry.backend("jni")),
          failure,
          "lucene-pread-jni, which is for Java 21 and later, can't be loaded by Java "
              + Runtime.version());
      Fixtures.assertNames(
          assertThrows(IllegalStateException.class, () -> registry.backend("ffm")),
          "lucene-pread-ffi is not on the class path");
    }
  }

  private static Iterator<SystemCallsProvider> failing(long times, Error failure) {
    return new Iterator<>() {
      private long left = times;

      @Override
      public boolean hasNext() {
        return left > 0;
      }

      @Override
      public SystemCallsProvider next() {
        left--;
        throw failure;
      }
    };
  }

  private static final class Denied {
    static final SystemCalls CALLS = calls();

    private static SystemCalls calls() {
      throw new SecurityException("no thread for you");
    }
  }

  private static void failsWith(Supplier<SystemCalls> calls, String reason) {
    SystemCallsProvider failing =
        new SystemCallsProvider() {
          @Override
          public String name() {
            return "jni";
          }

          @Override
          public SystemCalls create() {
            return calls.get();
          }
        };
    BackendRegistry registry = new BackendRegistry(List.of(failing).iterator());
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> registry.backend("jni"));
    assertTrue(e.getMessage().contains("java.lang."), e.getMessage());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertEquals("channel", registry.backend(BackendRegistry.AUTO).calls().name());
    assertEquals("channel", registry.backend("channel").calls().name());
  }

  @Test
  void unknownNamesAreRefusedWithTheNamesThereAre() {
    for (String name : List.of("", "mmap", "FFM", " ffm", "auto,ffm")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> BackendRegistry.get(name));
      assertTrue(e.getMessage().contains("\"" + name + "\""), e.getMessage());
      Fixtures.assertNames(e, "auto", "ffm", "jni", "channel");
    }
  }

  @Test
  void thePropertyIsCheckedAndForgivesCaseAndSpace() {
    String before = System.getProperty(BackendRegistry.PROPERTY);
    try {
      System.setProperty(BackendRegistry.PROPERTY, " Channel ");
      assertEquals("channel", BackendRegistry.configured());
      System.clearProperty(BackendRegistry.PROPERTY);
      assertEquals(BackendRegistry.AUTO, BackendRegistry.configured());
      System.setProperty(BackendRegistry.PROPERTY, "nio");
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, BackendRegistry::configured);
      assertEquals(
          "unknown backend \"nio\" from -Ddev.pread.backend: use auto or one of [ffm, jni,"
              + " channel]",
          e.getMessage());
    } finally {
      if (before == null) {
        System.clearProperty(BackendRegistry.PROPERTY);
      } else {
        System.setProperty(BackendRegistry.PROPERTY, before);
      }
    }
  }

  @Test
  void theBackendOfThisRunIsTheOneTheModuleConfigures() {
    assertEquals(
        System.getProperty(BackendRegistry.PROPERTY),
        Fixtures.backend().calls().name(),
        "see pom.xml");
  }
}
