/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import dev.pread.cache.BlockRuns;
import dev.pread.cache.HotBlocks.Note;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes and reads a list of hot blocks: a magic number, the version, the block size, the notes one
 * after the other, and CRC32C of all of that. All numbers are big-endian.
 */
final class HotListFormat {

  /** The most bytes that a list has: more than the notes of closed files that a cache keeps. */
  static final int MAX_BYTES = 64 << 20;

  private static final long MAGIC = 0x70_72_65_61_64_48_4F_54L;
  private static final int VERSION = 1;

  private static final int HEADER = Long.BYTES + 2 * Integer.BYTES;

  /** How many bytes a note has beside its path and its blocks. */
  private static final int NOTE_BYTES = Short.BYTES + 2 * Long.BYTES + Integer.BYTES;

  /** How many bytes a character of a path takes at most. */
  private static final int CHARACTER_BYTES = 3;

  /** Longer paths are left out: their length would not fit. */
  private static final int LONGEST_PATH = 0xFFFF / CHARACTER_BYTES;

  private HotListFormat() {}

  /** Returns whether these bytes begin as a list does, of whatever version. */
  static boolean isList(byte[] bytes) {
    return bytes.length >= Long.BYTES && ByteBuffer.wrap(bytes).getLong() == MAGIC;
  }

  /** Returns the bytes of a list with as many of the notes as it may have. */
  static byte[] encode(int blockSize, List<Note> notes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(MAGIC);
      out.writeInt(VERSION);
      out.writeInt(blockSize);
      for (Note note : notes) {
        int most = NOTE_BYTES + CHARACTER_BYTES * note.path().length() + note.runs().size();
        if (note.path().length() <= LONGEST_PATH
            && bytes.size() + most + Integer.BYTES <= MAX_BYTES) {
          out.writeUTF(note.path());
          out.writeLong(note.length());
          out.writeLong(note.modifiedNanos());
          out.writeInt(note.runs().size());
          out.write(note.runs().toBytes());
        }
      }
      out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new AssertionError("there is no device that could fail", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Returns the notes of a list.
   *
   * @param blockSize bytes of the blocks that are counted in it
   * @throws IOException if these bytes are not a list of such blocks; the message says why
   */
  static List<Note> decode(int blockSize, byte[] bytes) throws IOException {
    int end = bytes.length - Integer.BYTES;
    if (end < HEADER || !isList(bytes)) {
      throw new IOException("it is no list of hot blocks, or not all of one");
    }
    ByteArrayInputStream list = new ByteArrayInputStream(bytes, Long.BYTES, end - Long.BYTES);
    DataInputStream in = new DataInputStream(list);
    int version = in.readInt();
    if (version != VERSION) {
      throw new IOException("it has version " + version + ", and this is version " + VERSION);
    }
    if (checksum(bytes, end) != ByteBuffer.wrap(bytes).getInt(end)) {
      throw new IOException("its checksum is wrong");
    }
    int size = in.readInt();
    if (size != blockSize) {
      throw new IOException(
          "its blocks have " + size + " bytes, and those of the cache " + blockSize);
    }
    List<Note> notes = new ArrayList<>();
    while (list.available() > 0) {
      String path = in.readUTF();
      long length = in.readLong();
      long modifiedNanos = in.readLong();
      int count = in.readInt();
      if (count < 0 || count > list.available()) {
        throw new IOException("a note in it is longer than the list");
      }
      byte[] runs = new byte[count];
      in.readFully(runs);
      notes.add(new Note(path, length, modifiedNanos, BlockRuns.ofBytes(runs)));
    }
    return notes;
  }

  /** Returns a number that is another one for another list, as good as always. */
  static long fingerprint(byte[] list) {
    int checksum = ByteBuffer.wrap(list).getInt(list.length - Integer.BYTES);
    return (long) list.length << Integer.SIZE | Integer.toUnsignedLong(checksum);
  }

  private static int checksum(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }
}
