/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.result.Contender;
import dev.pread.posix.Backends;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A way to make system calls: a backend of this project by its name, or one of those it is compared
 * with. Immutable.
 */
interface NativeWay {
  String JDK = "jdk";
  String BARE = "bare-ffm";
  String INPUT_STREAM = "input-stream";
  String CHANNEL_HEAP = "filechannel-heap";
  String DIRECTORY = "pread-directory";
  String DIRECTORY_CACHED = "pread-directory-cached";

  /** In comparisons. */
  Contender contender();

  /**
   * Makes the call ready.
   *
   * @param file of the data pattern, at least 8 KiB long
   * @return empty if it has no such call
   */
  default Optional<NativeCall> prepare(CallKind kind, Path file) throws IOException {
    return Optional.empty();
  }

  /**
   * Opens a file to be read from its beginning into an array, over and over.
   *
   * @param bytes of a read
   * @return empty if it does not read into arrays
   */
  default Optional<Reader> open(Path file, int bytes) throws IOException {
    return Optional.empty();
  }

  /** Reads one file. */
  interface Reader extends Closeable {

    /** Fills the array from an offset, which is where the read before ended, or 0. */
    void read(byte[] array, long offset) throws IOException;
  }

  /**
   * The one of that name.
   *
   * @throws IllegalStateException if it cannot be had here; with the reason
   */
  static NativeWay named(String name) {
    return switch (name) {
      case JDK -> new JdkWay(name);
      case INPUT_STREAM, CHANNEL_HEAP, DIRECTORY, DIRECTORY_CACHED -> new HeapReadWay(name);
      case BARE -> new BareWay();
      default -> new BackendWay(name);
    };
  }

  /**
   * All that can be had here, by name in the order reports show them.
   *
   * @param missing is given the others, with the reason
   */
  static Map<String, NativeWay> available(Map<String, String> missing) {
    List<String> names = new ArrayList<>(Backends.names());
    names.addAll(List.of(DIRECTORY, DIRECTORY_CACHED, BARE, JDK, INPUT_STREAM, CHANNEL_HEAP));
    Map<String, NativeWay> ways = new LinkedHashMap<>();
    for (String name : names) {
      try {
        ways.put(name, named(name));
      } catch (IllegalStateException | LinkageError e) {
        missing.put(name, e.getMessage());
      }
    }
    return ways;
  }
}
