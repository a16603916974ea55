/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Reads a trace, event by event, and believes nothing: every field is checked against what came
 * before it, and {@link #next()} returns false only after the checksum of the whole file was right.
 * Needs a few bytes of memory per file of the table, which itself takes at least three bytes in the
 * trace each. Not thread-safe.
 */
public final class TraceReader implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int CRC_BYTES = 4;
  private static final int MAX_VARINT_SHIFT = 56;

  private final Path path;
  private final InputStream in;
  private final CRC32 crc = new CRC32();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private long bufferStart;
  private int bufferNext;
  private int bufferEnd;

  private String[] names = new String[16];
  private long[] lengths = new long[16];
  private long[] lastBlocks = new long[16];
  private boolean[] gone = new boolean[16];
  private int files;

  private boolean ended;
  private Event event;
  private long accesses;
  private int file;
  private int flags;
  private long block;
  private int deletedFile;

  /** What {@link #next()} has come to. */
  public enum Event {
    /** A file enters the table: the last one of {@link #files()}. */
    FILE,
    /** A block is read: {@link #file()}, {@link #block()}, {@link #flags()}. */
    ACCESS,
    /** A file is deleted: {@link #file()}. */
    DELETE
  }

  private TraceReader(Path path, InputStream in) {
    this.path = path;
    this.in = in;
  }

  /**
   * Opens a trace.
   *
   * @throws TraceFormatException if it does not begin like one
   */
  public static TraceReader open(Path path) throws IOException {
    TraceReader reader = new TraceReader(path, Files.newInputStream(path));
    boolean success = false;
    try {
      reader.header();
      success = true;
      return reader;
    } finally {
      if (!success) {
        reader.close();
      }
    }
  }

  private void header() throws IOException {
    byte[] magic = new byte[TraceFormat.MAGIC.length];
    for (int i = 0; i < magic.length; i++) {
      magic[i] = (byte) single("the magic");
      if (magic[i] != TraceFormat.MAGIC[i]) {
        throw damaged(i, "this is no trace file");
      }
    }
    long start = offset();
    long version = varint("the version");
    if (version != TraceFormat.VERSION) {
      throw damaged(start, "version " + version + ", this tool reads " + TraceFormat.VERSION);
    }
  }

  /**
   * Goes on to the next event.
   *
   * @return false at the end of a trace that is whole
   * @throws TraceFormatException if it is not
   */
  public boolean next() throws IOException {
    if (ended) {
      return false;
    }
    long start = offset();
    long tag = varint("a record");
    long value = tag >>> TraceFormat.KIND_BITS;
    switch ((int) (tag & TraceFormat.KIND_MASK)) {
      case TraceFormat.SAME_FILE -> access(start, value);
      case TraceFormat.OTHER_FILE -> {
        flags = (int) (value & TraceFormat.FLAG_MASK);
        file = knownFile(start, value >>> TraceFormat.FLAG_BITS);
        access(start, varint("a block number"));
      }
      case TraceFormat.FILE -> newFile(start, value);
      default -> {
        if (value == 0) {
          end(start);
          return false;
        }
        deletedFile = knownFile(start, value - 1);
        if (gone[deletedFile]) {
          throw damaged(start, "file " + deletedFile + " is deleted twice");
        }
        gone[deletedFile] = true;
        event = Event.DELETE;
      }
    }
    return true;
  }

  private int knownFile(long start, long number) throws TraceFormatException {
    if (number >= files) {
      throw damaged(start, "file " + number + " of " + files);
    }
    return (int) number;
  }

  private void access(long start, long delta) throws TraceFormatException {
    int known = knownFile(start, file);
    long blocks = TraceFormat.blocks(lengths[known], TraceFormat.BLOCK_SIZE);
    long target = lastBlocks[known] + TraceFormat.unZigzag(delta);
    if (target < 0 || target >= blocks) {
      throw damaged(
          start, "block " + target + " of file " + names[known] + ", which has " + blocks);
    }
    block = target;
    lastBlocks[known] = target;
    accesses++;
    event = Event.ACCESS;
  }

  private void newFile(long start, long nameBytes) throws IOException {
    if (nameBytes == 0 || nameBytes > TraceFormat.MAX_NAME_BYTES) {
      throw damaged(start, "a file name of " + nameBytes + " bytes");
    }
    if (files == TraceFormat.MAX_FILES) {
      throw damaged(start, "more than " + files + " files");
    }
    byte[] utf8 = new byte[(int) nameBytes];
    for (int i = 0; i < utf8.length; i++) {
      utf8[i] = (byte) single("a file name");
    }
    String name = decode(start, utf8);
    long lengthStart = offset();
    long length = varint("the length of a file");
    if (length > TraceFormat.MAX_FILE_LENGTH) {
      throw damaged(lengthStart, "a file of " + length + " bytes");
    }
    if (files == names.length) {
      names = Arrays.copyOf(names, 2 * files);
      lengths = Arrays.copyOf(lengths, 2 * files);
      lastBlocks = Arrays.copyOf(lastBlocks, 2 * files);
      gone = Arrays.copyOf(gone, 2 * files);
    }
    names[files] = name;
    lengths[files] = length;
    files++;
    event = Event.FILE;
  }

  private String decode(long start, byte[] utf8) throws TraceFormatException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      TraceFormatException damage = damaged(start, "a file name that is not UTF-8");
      damage.initCause(e);
      throw damage;
    }
  }

  private void end(long start) throws IOException {
    long expected = varint("the number of accesses");
    if (expected != accesses) {
      throw damaged(start, accesses + " accesses, but the end says " + expected);
    }
    long sumStart = offset();
    int sum = (int) crc.getValue();
    int written = 0;
    for (int i = 0; i < CRC_BYTES; i++) {
      written = written << 8 | single("the checksum");
    }
    if (written != sum) {
      throw damaged(
          sumStart,
          "the checksum is "
              + Integer.toHexString(sum)
              + ", it should be "
              + Integer.toHexString(written));
    }
    if (!isAtEnd()) {
      throw damaged(offset(), "more bytes after the end");
    }
    ended = true;
  }

  /** The kind of the current event. */
  public Event event() {
    return event;
  }

  /** The number of the file that is read or deleted. */
  public int file() {
    return event == Event.DELETE ? deletedFile : file;
  }

  /** The block that is read. */
  public long block() {
    return block;
  }

  /** How it is read: see {@link TraceFormat}. */
  public int flags() {
    return flags;
  }

  /** How many files the table has so far. */
  public int files() {
    return files;
  }

  /** The name of a file of the table. */
  public String name(int number) {
    return names[number];
  }

  /** The length of a file of the table, in bytes. */
  public long length(int number) {
    return lengths[number];
  }

  private long varint(String what) throws IOException {
    long start = offset();
    long value = 0;
    for (int shift = 0; shift <= MAX_VARINT_SHIFT; shift += 7) {
      int next = single(what);
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw damaged(start, what + " has more than 63 bits");
  }

  private int single(String what) throws IOException {
    if (isAtEnd()) {
      throw damaged(offset(), "the file ends inside of " + what + ", the recording was cut short");
    }
    int value = buffer[bufferNext++] & 0xff;
    crc.update(value);
    return value;
  }

  private boolean isAtEnd() throws IOException {
    if (bufferNext < bufferEnd) {
      return false;
    }
    bufferStart += bufferEnd;
    bufferNext = 0;
    bufferEnd = Math.max(0, in.read(buffer));
    return bufferEnd == 0;
  }

  private long offset() {
    return bufferStart + bufferNext;
  }

  private TraceFormatException damaged(long at, String problem) {
    return new TraceFormatException(path, at, problem);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
