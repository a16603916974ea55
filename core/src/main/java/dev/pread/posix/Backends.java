/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds the backend of this process: {@code ffm} where the JVM is 22 or later, the artifact {@code
 * lucene-pread-ffi} is there and native access is allowed; else {@code jni} where its artifact is
 * there; else {@code channel}, which needs nothing and says once what it is missing.
 *
 * <p>A backend is loaded once per process, since descriptors and native linkage are the process's;
 * so the fallback is also reported once. Thread-safe.
 */
public final class Backends {

  /** Let the process choose. */
  public static final String AUTO = "auto";

  /** The system property that forces a backend by name. */
  public static final String PROPERTY = "dev.pread.backend";

  /** In the order of preference. */
  private static final List<String> NAMES = List.of("ffm", "jni", ChannelPosix.NAME);

  private static final Logger LOGGER = System.getLogger(Backends.class.getName());

  /** Loaded on first use, by the initialization lock of the class. */
  private static final class Loaded {
    static final Backends INSTANCE = new Backends();
  }

  private final Map<String, Backend> available = new LinkedHashMap<>();
  private final Map<String, String> unavailable = new LinkedHashMap<>();

  private Backends() {
    List<PosixProvider> providers = providers();
    for (String name : NAMES) {
      if (name.equals(ChannelPosix.NAME)) {
        available.put(name, new Backend(new ChannelPosix()));
      } else {
        load(name, providers);
      }
    }
  }

  /** The names {@link #get} takes beside {@link #AUTO}, the preferred first. */
  public static List<String> names() {
    return NAMES;
  }

  /**
   * The name the system property asks for, {@link #AUTO} without it.
   *
   * @throws IllegalArgumentException if the property has another value
   */
  public static String configured() {
    return checkName(
        System.getProperty(PROPERTY, AUTO).trim().toLowerCase(Locale.ROOT), "-D" + PROPERTY);
  }

  /**
   * Returns {@code name}.
   *
   * @param source where the name comes from, for the message
   * @throws IllegalArgumentException if it is not a backend's name or {@link #AUTO}
   */
  public static String checkName(String name, String source) {
    if (!AUTO.equals(name) && (name == null || !NAMES.contains(name))) {
      throw new IllegalArgumentException(
          "unknown backend \""
              + name
              + "\" from "
              + source
              + ": use "
              + AUTO
              + " or one of "
              + NAMES);
    }
    return name;
  }

  /**
   * The backend of that name, the same object for each call.
   *
   * @param name one of {@link #names()}, or {@link #AUTO} for the best there is
   * @throws IllegalStateException if a backend that is asked for by name can't be used here; the
   *     message has the reason and the remedy
   */
  public static Backend get(String name) {
    Backends backends = Loaded.INSTANCE;
    if (name.equals(AUTO)) {
      return backends.available.values().iterator().next();
    }
    Backend backend = backends.available.get(checkName(name, "the configuration"));
    if (backend == null) {
      throw new IllegalStateException(
          "backend " + name + " is not available: " + backends.unavailable.get(name));
    }
    return backend;
  }

  /**
   * The backend for a directory that is configured with {@code name}: as {@link #get}, but {@link
   * #AUTO} is what the system property says; where that leaves the choice, too, and it falls on the
   * slow one, this is said once.
   *
   * @throws IllegalArgumentException if the system property has a value that is none of the names
   */
  public static Backend choose(String name) {
    String wanted = name.equals(AUTO) ? configured() : name;
    Backend backend = get(wanted);
    if (wanted.equals(AUTO)) {
      reportFallback(backend);
    }
    return backend;
  }

  /**
   * Says once per process that {@code backend} is the slow fallback, if it is: called when a
   * directory that asked for {@link #AUTO} ends up with it.
   */
  public static void reportFallback(Backend backend) {
    if (backend.posix().name().equals(ChannelPosix.NAME)) {
      FallbackReport.ensureSaid();
    }
  }

  /** Class initialization happens once: so does the message. */
  private static final class FallbackReport {
    static {
      LOGGER.log(
          Level.WARNING,
          "reads go through java.nio FileChannel, which is slower and does not scale: "
              + Loaded.INSTANCE.unavailable
              + ". For the ffm or jni backend put lucene-pread-ffi (Java 22 and later) or"
              + " lucene-pread-jni (Java 21 and later) on the class path, with"
              + " --enable-native-access=ALL-UNNAMED; -D"
              + PROPERTY
              + "="
              + ChannelPosix.NAME
              + " chooses FileChannel and silences this.");
    }

    private FallbackReport() {}

    static void ensureSaid() {
      // Loading the class has said it.
    }
  }

  private void load(String name, List<PosixProvider> providers) {
    for (PosixProvider provider : providers) {
      if (provider.name().equals(name)) {
        try {
          available.put(name, new Backend(provider.create()));
        } catch (BackendUnavailableException e) {
          unavailable.put(name, e.getMessage());
        } catch (LinkageError e) {
          unavailable.put(name, "could not be loaded: " + e);
        }
        return;
      }
    }
    unavailable.putIfAbsent(name, "no such artifact on the class path");
  }

  private List<PosixProvider> providers() {
    List<PosixProvider> found = new ArrayList<>();
    // The loader of this class and not the thread's: inside a server each plugin has its own.
    var iterator =
        ServiceLoader.load(PosixProvider.class, PosixProvider.class.getClassLoader()).iterator();
    while (true) {
      try {
        if (!iterator.hasNext()) {
          return found;
        }
        found.add(iterator.next());
      } catch (ServiceConfigurationError | LinkageError e) {
        // For example the FFM artifact (class files of Java 22) on Java 21.
        unavailable.put("ffm", "its artifact can't be loaded by Java " + version() + ": " + e);
      }
    }
  }

  private static String version() {
    return Runtime.version().toString();
  }
}
