/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backends;
import org.apache.lucene.store.ReadAdvice;

/**
 * How a {@link PreadDirectory} reads and writes. Immutable; {@link #DEFAULT} is right without
 * tuning.
 *
 * <pre>{@code
 * PreadConfig config = PreadConfig.builder().bufferSize(4096).build();
 * Directory directory = new PreadDirectory(path, FSLockFactory.getDefault(), config);
 * }</pre>
 *
 * @param backend {@code auto}, {@code ffm}, {@code jni} or {@code channel}; the default is {@code
 *     auto}: what the system property {@code dev.pread.backend} says, else the best there is
 * @param cache for the blocks of its files, closed by whoever made it; null, the default, is one
 *     that all directories of a kind share in this process. Its size is an eighth of the memory the
 *     heap leaves, at most 1 GiB, for {@link PreadDirectory}, and half of it for {@link
 *     DirectPreadDirectory}; {@code -Ddev.pread.cache.bytes} sets another. {@code new
 *     BlockCache(0)} is no cache
 * @param bufferSize bytes of an input's buffer for random access, where there is no cache; a power
 *     of two from 8 to 1 MiB. An input has up to two, made when first needed
 * @param readAheadSize bytes of an input's buffer for sequential access (merges, read-once files);
 *     a power of two from {@code bufferSize} to 16 MiB
 * @param writeBufferSize bytes of an output's buffer; a power of two from 4 KiB to 16 MiB. Writes
 *     begin at multiples of it, and go to the kernel in pieces of at most 64 KiB
 * @param directWriteMinSize bytes that a merge or a flush is expected to write at least for {@link
 *     DirectPreadDirectory} to write past the page cache, too; 0 for all. {@link PreadDirectory}
 *     never does
 * @param defaultReadAdvice what the kernel is told of files that Lucene opens without a hint;
 *     {@code NORMAL} leaves it to the kernel
 * @param dropBehind whether the pages of a cold file of at least 1 MiB that Lucene reads once leave
 *     the page cache when it is closed; files that were resident before stay so
 */
public record PreadConfig(
    String backend,
    BlockCache cache,
    int bufferSize,
    int readAheadSize,
    int writeBufferSize,
    long directWriteMinSize,
    ReadAdvice defaultReadAdvice,
    boolean dropBehind) {

  private static final int MIN_BUFFER_SIZE = Long.BYTES;
  private static final int MAX_BUFFER_SIZE = 1 << 20;
  private static final int MIN_WRITE_BUFFER_SIZE = 4 << 10;
  private static final int MAX_LARGE_BUFFER_SIZE = 16 << 20;

  /** All defaults. */
  public static final PreadConfig DEFAULT = builder().build();

  /**
   * Checks every value.
   *
   * @throws IllegalArgumentException naming the value and what is allowed
   */
  public PreadConfig {
    Backends.checkName(backend, "PreadConfig.backend");
    checkSize("bufferSize", bufferSize, MIN_BUFFER_SIZE, MAX_BUFFER_SIZE);
    checkSize("readAheadSize", readAheadSize, bufferSize, MAX_LARGE_BUFFER_SIZE);
    checkSize("writeBufferSize", writeBufferSize, MIN_WRITE_BUFFER_SIZE, MAX_LARGE_BUFFER_SIZE);
    if (directWriteMinSize < 0) {
      throw new IllegalArgumentException(
          "PreadConfig.directWriteMinSize is "
              + directWriteMinSize
              + ": use 0 (all merges and flushes) or more (bytes)");
    }
    if (defaultReadAdvice == null) {
      throw new IllegalArgumentException(
          "PreadConfig.defaultReadAdvice is null: use NORMAL, RANDOM or SEQUENTIAL");
    }
  }

  private static void checkSize(String name, int value, int min, int max) {
    if (value < min || value > max || Integer.bitCount(value) != 1) {
      throw new IllegalArgumentException(
          "PreadConfig."
              + name
              + " is "
              + value
              + ": use a power of two from "
              + min
              + " to "
              + max
              + " (bytes)");
    }
  }

  /** A builder that starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects values for a {@link PreadConfig}; not thread-safe. */
  public static final class Builder {

    private String backend = Backends.AUTO;
    private BlockCache cache;
    private int bufferSize = 1 << 10;
    private int readAheadSize = 16 << 10;
    private int writeBufferSize = 64 << 10;
    private long directWriteMinSize = 10 << 20;
    private ReadAdvice defaultReadAdvice = ReadAdvice.NORMAL;
    private boolean dropBehind = true;

    private Builder() {}

    /** Sets {@link PreadConfig#backend}. */
    public Builder backend(String backend) {
      this.backend = backend;
      return this;
    }

    /** Sets {@link PreadConfig#cache}. */
    public Builder cache(BlockCache cache) {
      this.cache = cache;
      return this;
    }

    /** Sets {@link PreadConfig#bufferSize}, raising {@code readAheadSize} to it where smaller. */
    public Builder bufferSize(int bytes) {
      this.bufferSize = bytes;
      this.readAheadSize = Math.max(readAheadSize, bytes);
      return this;
    }

    /** Sets {@link PreadConfig#readAheadSize}. */
    public Builder readAheadSize(int bytes) {
      this.readAheadSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#writeBufferSize}. */
    public Builder writeBufferSize(int bytes) {
      this.writeBufferSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#directWriteMinSize}. */
    public Builder directWriteMinSize(long bytes) {
      this.directWriteMinSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#defaultReadAdvice}. */
    public Builder defaultReadAdvice(ReadAdvice advice) {
      this.defaultReadAdvice = advice;
      return this;
    }

    /** Sets {@link PreadConfig#dropBehind}. */
    public Builder dropBehind(boolean dropBehind) {
      this.dropBehind = dropBehind;
      return this;
    }

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException naming the value that is not allowed, and what is
     */
    public PreadConfig build() {
      return new PreadConfig(
          backend,
          cache,
          bufferSize,
          readAheadSize,
          writeBufferSize,
          directWriteMinSize,
          defaultReadAdvice,
          dropBehind);
    }
  }
}
