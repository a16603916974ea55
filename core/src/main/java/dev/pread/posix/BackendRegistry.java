/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds the backend of this process: {@code ffm} if the JVM is version 22 or later, the artifact
 * {@code lucene-pread-ffi} is present and native access is allowed; else {@code jni} if its
 * artifact is present; else {@code channel}, which needs nothing and reports once what is missing.
 *
 * <p>A backend is loaded once per process, since descriptors and native linkage belong to the
 * process; so the fallback is also reported once. This class is thread-safe.
 */
public final class BackendRegistry {

  /** Lets the process choose. */
  public static final String AUTO = "auto";

  /** The system property that forces a backend by name. */
  public static final String PROPERTY = "dev.pread.backend";

  /** The names of the backends, in order of preference. */
  private static final List<String> NAMES = List.of("ffm", "jni", ChannelSystemCalls.NAME);

  /**
   * How many providers may fail to load. Where a class loader can't look for them, {@link
   * ServiceLoader} says over and over that there is another one, which fails.
   */
  private static final int MAX_FAILURES = 16;

  private static final Logger LOGGER = System.getLogger(BackendRegistry.class.getName());

  /** Loads the backends on first use, under the initialization lock of this class. */
  private static final class Loaded {
    // This class's loader is used, not the thread's: inside a server each plugin has its own.
    static final BackendRegistry INSTANCE =
        new BackendRegistry(
            ServiceLoader.load(
                    SystemCallsProvider.class, SystemCallsProvider.class.getClassLoader())
                .iterator());
  }

  private final Map<String, Backend> available = new LinkedHashMap<>();
  private final Map<String, String> unavailable = new LinkedHashMap<>();

  /**
   * Loads what can be loaded.
   *
   * @param found the providers of other backends than {@code channel}; it may throw what those of a
   *     {@link ServiceLoader} do
   */
  BackendRegistry(Iterator<SystemCallsProvider> found) {
    List<SystemCallsProvider> providers = providers(found);
    for (String name : NAMES) {
      if (name.equals(ChannelSystemCalls.NAME)) {
        available.put(name, new Backend(new ChannelSystemCalls()));
      } else {
        load(name, providers);
      }
    }
  }

  /** Returns the names that {@link #get} takes besides {@link #AUTO}, in order of preference. */
  public static List<String> names() {
    return NAMES;
  }

  /**
   * Returns the name that the system property asks for, or {@link #AUTO} if it is not set.
   *
   * @throws IllegalArgumentException if the property has any other value
   */
  public static String configured() {
    return checkName(
        System.getProperty(PROPERTY, AUTO).trim().toLowerCase(Locale.ROOT), "-D" + PROPERTY);
  }

  /**
   * Returns {@code name} if it is valid.
   *
   * @param source where the name comes from, for the message
   * @throws IllegalArgumentException if it is neither a backend's name nor {@link #AUTO}
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
   * Returns the backend of that name, the same object for each call.
   *
   * @param name one of {@link #names()}, or {@link #AUTO} for the best one available
   * @throws IllegalStateException if a backend that is requested by name can't be used here; the
   *     message gives the reason and the remedy
   */
  public static Backend get(String name) {
    return Loaded.INSTANCE.backend(name);
  }

  /** Does what {@link #get} does, for a registry of a test's own. */
  Backend backend(String name) {
    return backend(name, "");
  }

  /**
   * @param from where the name comes from, for the message
   */
  private Backend backend(String name, String from) {
    if (name.equals(AUTO)) {
      return available.values().iterator().next();
    }
    Backend backend = available.get(checkName(name, "the configuration"));
    if (backend == null) {
      throw new IllegalStateException(
          "backend " + name + from + " is not available: " + unavailable.get(name));
    }
    return backend;
  }

  /**
   * Returns the backend for a directory that is configured with {@code name}. This is the one that
   * {@link #get} returns, except that {@link #AUTO} stands for what the system property says. If
   * the property leaves the choice open, too, and the choice falls on the slow backend, this is
   * reported once.
   *
   * @throws IllegalArgumentException if the system property has a value that is not one of the
   *     names
   * @throws IllegalStateException as {@link #get} does; the message names the property if that is
   *     where the name comes from
   */
  public static Backend choose(String name) {
    boolean isLeftOpen = name.equals(AUTO);
    String wanted = isLeftOpen ? configured() : name;
    Backend backend = Loaded.INSTANCE.backend(wanted, isLeftOpen ? " from -D" + PROPERTY : "");
    if (wanted.equals(AUTO)) {
      reportFallback(backend);
    }
    return backend;
  }

  /**
   * Reports once per process that {@code backend} is the slow fallback, if it is. This is called
   * when a directory that asked for {@link #AUTO} ends up with it.
   */
  private static void reportFallback(Backend backend) {
    if (backend.calls().name().equals(ChannelSystemCalls.NAME)) {
      backend.warnOnce(
          LOGGER,
          "fallback",
          () ->
              "reads go through java.nio FileChannel, which is slower and does not scale: "
                  + Loaded.INSTANCE.unavailable
                  + ". For the ffm or jni backend put lucene-pread-ffi (Java 22 and later) or"
                  + " lucene-pread-jni (Java 21 and later) where the core is: on the class path, with"
                  + " --enable-native-access=ALL-UNNAMED, or on the module path; -D"
                  + PROPERTY
                  + "="
                  + ChannelSystemCalls.NAME
                  + " chooses FileChannel and silences this.");
    }
  }

  private void load(String name, List<SystemCallsProvider> providers) {
    for (SystemCallsProvider provider : providers) {
      if (provider.name().equals(name)) {
        try {
          available.put(name, new Backend(provider.create()));
        } catch (BackendUnavailableException e) {
          unavailable.put(name, e.getMessage());
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
          // Whatever it is, it must not reach the class that loads all backends: that could not be
          // loaded again, and would name no reason then.
          unavailable.put(name, "could not be loaded: " + withCauses(e));
        }
        return;
      }
    }
    unavailable.putIfAbsent(
        name, "lucene-pread-" + (name.equals("ffm") ? "ffi" : name) + " is not on the class path");
  }

  /** Returns a failure with its causes: that of a class initializer itself says nothing. */
  private static String withCauses(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure.toString() : failure + ", caused by " + withCauses(cause);
  }

  private List<SystemCallsProvider> providers(Iterator<SystemCallsProvider> found) {
    List<SystemCallsProvider> providers = new ArrayList<>();
    for (int failures = 0; failures < MAX_FAILURES; ) {
      try {
        if (!found.hasNext()) {
          break;
        }
        providers.add(found.next());
      } catch (ServiceConfigurationError | LinkageError e) {
        failures++;
        cantLoad(e);
      }
    }
    return providers;
  }

  /** The FFM artifact (class files of Java 22) ends up here on Java 21, for example. */
  private void cantLoad(Error e) {
    String failure = withCauses(e);
    String named = failure.replace('/', '.');
    String reason = " can't be loaded by Java " + version() + ": " + failure;
    // If it names neither, it may be the reason for both.
    if (!named.contains("dev.pread.jni.")) {
      unavailable.put("ffm", "lucene-pread-ffi, which is for Java 22 and later," + reason);
    }
    if (!named.contains("dev.pread.ffi.")) {
      unavailable.put("jni", "lucene-pread-jni, which is for Java 21 and later," + reason);
    }
  }

  private static String version() {
    return Runtime.version().toString();
  }
}
