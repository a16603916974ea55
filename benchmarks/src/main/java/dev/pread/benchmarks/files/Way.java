/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.report.Contender;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;

/** Lists the ways to read a file, by the names they have in reports and on command lines. */
enum Way {
  MMAP_SEGMENT(Keeps.PAGES),
  MMAP_SEGMENT_RANDOM(Keeps.PAGES),
  MMAP_SEGMENT_RANDOM_PREFETCH(Keeps.PAGES),
  FFM_PREAD(Keeps.PAGES),
  CHANNEL_DIRECT(Keeps.PAGES),
  CHANNEL_HEAP(Keeps.PAGES),
  FFM_ODIRECT(Keeps.NOTHING),
  MMAP(Keeps.PAGES),
  NIOFS(Keeps.PAGES),
  DIRECT_IO_DIRECTORY(Keeps.NOTHING),
  PREAD(Keeps.BLOCKS),
  DIRECT(Keeps.BLOCKS),
  MMAP_PREFETCH(Keeps.PAGES),
  PREAD_PREFETCH(Keeps.BLOCKS),
  DIRECT_PREFETCH(Keeps.BLOCKS),
  MEMCPY(Keeps.EVERYTHING),
  // Those below are no part of the grid.
  FFM(Keeps.PAGES),
  JNI(Keeps.PAGES),
  CHANNEL(Keeps.PAGES),
  INPUT_STREAM(Keeps.PAGES),
  NAIVE_FFM(Keeps.PAGES),
  NAIVE_JNI(Keeps.PAGES);

  /** Says what is in memory after a file has been read. */
  enum Keeps {
    /** The kernel's page cache. */
    PAGES,
    /** A block cache of a directory of ours. */
    BLOCKS,
    /** Each read is one of the device. */
    NOTHING,
    /** All of it is read from the beginning. */
    EVERYTHING
  }

  static final List<Way> GRID = List.copyOf(EnumSet.range(MMAP_SEGMENT, MEMCPY));

  private final Keeps keeps;

  Way(Keeps keeps) {
    this.keeps = keeps;
  }

  /** Looks a name up; null if it is none. */
  static Way named(String name) {
    return Stream.of(values()).filter(way -> way.toString().equals(name)).findAny().orElse(null);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Keeps keeps() {
    return keeps;
  }

  boolean prefetches() {
    return toString().endsWith("-prefetch");
  }

  /** Returns whether a file system may refuse it. */
  boolean needsDirectIo() {
    return keeps == Keeps.NOTHING || this == DIRECT || this == DIRECT_PREFETCH;
  }

  Contender contender() {
    return switch (this) {
      case MEMCPY -> Contender.ceiling(toString());
      case PREAD, DIRECT, PREAD_PREFETCH, DIRECT_PREFETCH, FFM, JNI, CHANNEL ->
          Contender.ours(toString());
      default -> Contender.other(toString());
    };
  }

  /**
   * Opens a file to read blocks of so many bytes.
   *
   * @throws IllegalStateException if this way cannot be had here; the message says why
   */
  Source open(Path file, int bytes, IOContext context) throws IOException {
    return switch (this) {
      case MMAP_SEGMENT, MMAP_SEGMENT_RANDOM, MMAP_SEGMENT_RANDOM_PREFETCH ->
          FfmCalls.mapped(file, this != MMAP_SEGMENT, prefetches());
      case FFM_PREAD -> FfmCalls.pread(file, OpenMode.READ, bytes);
      case FFM_ODIRECT -> FfmCalls.pread(file, OpenMode.READ_DIRECT, bytes);
      case NAIVE_FFM -> FfmCalls.criticalPread(file);
      case NAIVE_JNI -> Source.naiveJni(file);
      case CHANNEL_DIRECT -> Source.channel(file, bytes, true);
      case CHANNEL_HEAP -> Source.channel(file, bytes, false);
      case INPUT_STREAM -> Source.stream(file);
      case DIRECT_IO_DIRECTORY -> Source.directIo(file, bytes);
      case MEMCPY -> Source.memory(file, bytes);
      case FFM, JNI, CHANNEL -> Source.backend(file, toString());
      case MMAP, NIOFS, PREAD, DIRECT, MMAP_PREFETCH, PREAD_PREFETCH, DIRECT_PREFETCH ->
          Source.lucene(directory(file.getParent()), file, context, prefetches());
    };
  }

  /** Opens the directory of those that read through one. */
  Directory directory(Path folder) throws IOException {
    return DirectoryKind.named(toString().replace("-prefetch", "")).openForReading(folder);
  }
}
