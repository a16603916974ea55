/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A whole trace in memory, 8 bytes per access: the simulations go over it many times. Immutable.
 */
public final class Trace {
  /** An event has, from the top: 1 bit for a deletion, 3 of flags, 28 of file, 32 of block. */
  private static final int FLAGS_SHIFT = 60;

  private static final int FILE_SHIFT = 32;
  private static final long DELETE = 1L << 63;

  /** The largest arrays that JVMs make. */
  private static final int MAX_EVENTS = Integer.MAX_VALUE - 8;

  private final String name;
  private final long[] events;
  private final long accesses;
  private final long indexBytes;

  private Trace(String name, long[] events, long accesses, long indexBytes) {
    this.name = name;
    this.events = events;
    this.accesses = accesses;
    this.indexBytes = indexBytes;
  }

  /**
   * Reads a trace.
   *
   * @throws TraceFormatException if it is not whole
   * @throws IOException if it can't be read, or has more events than an array has elements
   */
  public static Trace load(Path path) throws IOException {
    try (TraceReader reader = TraceReader.open(path)) {
      long[] events = new long[1 << 10];
      int size = 0;
      long accesses = 0;
      long live = 0;
      long peak = 0;
      while (reader.next()) {
        TraceReader.Event kind = reader.event();
        if (kind == TraceReader.Event.FILE) {
          live += reader.length(reader.files() - 1);
          peak = Math.max(peak, live);
          continue;
        }
        if (size == events.length) {
          events = Arrays.copyOf(events, grown(path, size));
        }
        long file = (long) reader.file() << FILE_SHIFT;
        if (kind == TraceReader.Event.DELETE) {
          live -= reader.length(reader.file());
          events[size++] = DELETE | file;
        } else {
          events[size++] = (long) reader.flags() << FLAGS_SHIFT | file | reader.block();
          accesses++;
        }
      }
      Path fileName = path.getFileName();
      return new Trace(fileName.toString(), Arrays.copyOf(events, size), accesses, peak);
    }
  }

  private static int grown(Path path, int size) throws IOException {
    if (size == MAX_EVENTS) {
      throw new IOException("trace " + path + " has more than " + size + " events: record less");
    }
    return (int) Math.min(MAX_EVENTS, 2L * size);
  }

  /** The name of the file, without folders. */
  public String name() {
    return name;
  }

  /** How many accesses there are, whatever their flags. */
  public long accesses() {
    return accesses;
  }

  /** Bytes of the files that were there at the same time, at the most. */
  public long indexBytes() {
    return indexBytes;
  }

  int size() {
    return events.length;
  }

  boolean isDelete(int event) {
    return (events[event] & DELETE) != 0;
  }

  int flags(int event) {
    return (int) (events[event] >>> FLAGS_SHIFT) & TraceFormat.FLAG_MASK;
  }

  int file(int event) {
    return (int) (events[event] >>> FILE_SHIFT) & (TraceFormat.MAX_FILES - 1);
  }

  long block(int event) {
    return events[event] & 0xffff_ffffL;
  }
}
