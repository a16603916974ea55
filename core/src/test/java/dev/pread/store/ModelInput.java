/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.store.IndexInput;

/**
 * What an input must do, in the simplest terms: a range of an array, one byte at a time, with
 * Lucene's own definitions of everything that is made of bytes. Of a failed read of several bytes
 * it says nothing about the position afterwards; callers seek.
 */
final class ModelInput extends IndexInput {

  private final byte[] data;
  private final int start;
  private final int length;
  private int position;

  ModelInput(byte[] data, int start, int length) {
    super("model");
    Objects.checkFromIndexSize(start, length, data.length);
    this.data = data;
    this.start = start;
    this.length = length;
  }

  /** Returns where it begins in the file. */
  int start() {
    return start;
  }

  @Override
  public byte readByte() throws IOException {
    if (position >= length) {
      throw new EOFException("the model says so");
    }
    return data[start + position++];
  }

  @Override
  public void readBytes(byte[] dst, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, dst.length);
    for (int i = 0; i < count; i++) {
      dst[offset + i] = readByte();
    }
  }

  @Override
  public long getFilePointer() {
    return position;
  }

  @Override
  public void seek(long target) throws IOException {
    if (target < 0) {
      throw new IllegalArgumentException("the model says so");
    }
    if (target > length) {
      throw new EOFException("the model says so");
    }
    position = (int) target;
  }

  @Override
  public void skipBytes(long count) throws IOException {
    if (count < 0) {
      throw new IllegalArgumentException("the model says so");
    }
    if (count > length - position) {
      throw new EOFException("the model says so");
    }
    position += (int) count;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public ModelInput clone() {
    return (ModelInput) super.clone();
  }

  @Override
  public ModelInput slice(String description, long offset, long count) {
    if (offset < 0 || count < 0 || offset > length || count > length - offset) {
      throw new IllegalArgumentException("the model says so");
    }
    return new ModelInput(data, start + (int) offset, (int) count);
  }

  // It overrides a method where Lucene has it, so that it can't have the annotation.
  @SuppressWarnings("MissingOverride")
  public void prefetch(long offset, long count) {
    Objects.checkFromIndexSize(offset, count, (long) length);
  }

  @Override
  public void close() {
    // It owns nothing.
  }
}
