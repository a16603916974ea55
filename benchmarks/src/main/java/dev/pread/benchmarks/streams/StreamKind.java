/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.result.Contender;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Who takes part. */
enum StreamKind {
  STREAM("stream", false),
  HEAP_BUFFER("heap-buffer", false),
  DIRECT_BUFFER("direct-buffer", false),
  MAPPED_BUFFER("mapped-buffer", false),
  MMAP("mmap", false),
  NIOFS("niofs", false),
  PREAD("pread", true),
  /** {@code DirectPreadDirectory}, which has nothing to do with direct buffers. */
  DIRECT_DIRECTORY("direct-directory", true);

  private final String name;
  private final boolean ours;

  StreamKind(String name, boolean ours) {
    this.name = name;
    this.ours = ours;
  }

  /**
   * The one of that name.
   *
   * @throws UserError if there is none
   */
  static StreamKind named(String name) throws UserError {
    for (StreamKind kind : values()) {
      if (kind.name.equals(name)) {
        return kind;
      }
    }
    String names = Stream.of(values()).map(StreamKind::text).collect(Collectors.joining(", "));
    throw new UserError("unknown contender '" + name + "': use " + names);
  }

  /** As reports name it. */
  String text() {
    return name;
  }

  Contender contender() {
    return ours ? Contender.ours(name) : Contender.other(name);
  }

  StreamWay way() throws UserError {
    return switch (this) {
      case STREAM -> new JavaWays.Streams();
      case HEAP_BUFFER -> new JavaWays.HeapBuffers();
      case DIRECT_BUFFER -> new JavaWays.DirectBuffers();
      case MAPPED_BUFFER -> new JavaWays.Mapped();
      case DIRECT_DIRECTORY -> new LuceneWay("direct");
      case MMAP, NIOFS, PREAD -> new LuceneWay(name);
    };
  }
}
