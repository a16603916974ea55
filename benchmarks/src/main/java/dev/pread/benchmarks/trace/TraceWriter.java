/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Writes a trace as it happens; see {@link TraceFormat}. Thread-safe: what threads do at the same
 * time is written in the order in which they come here.
 *
 * <p>A failure to write does not disturb those whose reads are recorded: the first one is kept, the
 * rest of the recording dropped, and {@link #close()} throws it. Whatever happens after {@code
 * close} is not recorded.
 */
public final class TraceWriter implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path path;
  private final OutputStream out;
  private final CRC32 crc = new CRC32();
  private final Map<String, Integer> live = new HashMap<>();
  private long[] lengths = new long[16];
  private long[] lastBlocks = new long[16];
  private int files;
  private int lastFile;
  private int lastFlags;
  private long accesses;
  private IOException failure;
  private boolean closed;

  private TraceWriter(Path path, OutputStream out) {
    this.path = path;
    this.out = out;
  }

  /** Begins a trace in a new file, or in place of what is in it. */
  public static TraceWriter create(Path path) throws IOException {
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES);
    TraceWriter writer = new TraceWriter(path, out);
    writer.bytes(TraceFormat.MAGIC);
    writer.varint(TraceFormat.VERSION);
    return writer;
  }

  /**
   * The number of the file that has this name now: a new one if there is none, or if it has another
   * length, which makes it another file.
   *
   * @param length in bytes
   */
  public synchronized int file(String name, long length) {
    Integer known = live.get(name);
    if (known != null) {
      if (lengths[known] == length) {
        return known;
      }
      deleted(name);
    }
    int number = files++;
    if (number == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * number);
      lastBlocks = Arrays.copyOf(lastBlocks, 2 * number);
    }
    lengths[number] = length;
    live.put(name, number);
    if (isRecording()) {
      byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
      tag(TraceFormat.FILE, utf8.length);
      bytes(utf8);
      varint(length);
    }
    return number;
  }

  /**
   * Some block of a file was read.
   *
   * @param file its number
   * @param block from 0, of 4 KiB
   * @param flags see {@link TraceFormat}
   */
  synchronized void access(int file, long block, int flags) {
    if (!isRecording()) {
      return;
    }
    long delta = TraceFormat.zigzag(block - lastBlocks[file]);
    if (file == lastFile && flags == lastFlags) {
      tag(TraceFormat.SAME_FILE, delta);
    } else {
      tag(TraceFormat.OTHER_FILE, (long) file << TraceFormat.FLAG_BITS | flags);
      varint(delta);
    }
    lastFile = file;
    lastFlags = flags;
    lastBlocks[file] = block;
    accesses++;
  }

  /** A file was deleted; nothing happens if it is not known. */
  public synchronized void deleted(String name) {
    Integer file = live.remove(name);
    if (file != null && isRecording()) {
      tag(TraceFormat.DELETE, file + 1L);
    }
  }

  /** A file has another name now. */
  public synchronized void renamed(String from, String to) {
    Integer file = live.remove(from);
    if (file != null) {
      live.put(to, file);
    }
  }

  /** How many accesses were recorded. */
  public synchronized long accesses() {
    return accesses;
  }

  private boolean isRecording() {
    return !closed && failure == null;
  }

  private void tag(int kind, long value) {
    varint(value << TraceFormat.KIND_BITS | kind);
  }

  private void varint(long value) {
    long rest = value;
    while (rest > 0x7f) {
      single((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    single((int) rest);
  }

  private void single(int value) {
    try {
      crc.update(value);
      out.write(value);
    } catch (IOException e) {
      fail(e);
    }
  }

  private void bytes(byte[] bytes) {
    try {
      crc.update(bytes);
      out.write(bytes);
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    if (failure == null) {
      failure = new IOException("trace " + path + " could not be written: " + e.getMessage(), e);
    }
  }

  /**
   * Ends the trace.
   *
   * @throws IOException if it, or anything before, could not be written; the file is of no use then
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    if (failure == null) {
      tag(TraceFormat.DELETE, 0);
      varint(accesses);
      int sum = (int) crc.getValue();
      for (int shift = 24; shift >= 0; shift -= 8) {
        single(sum >>> shift & 0xff);
      }
    }
    closed = true;
    try {
      out.close();
    } catch (IOException e) {
      fail(e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
