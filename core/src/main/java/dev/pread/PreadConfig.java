/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.BackendRegistry;
import java.util.Objects;

/**
 * The configuration of how a {@link PreadDirectory} reads and writes. {@link #DEFAULT} is right
 * without tuning. Instances are immutable and safe for any number of threads.
 *
 * <pre>{@code
 * PreadConfig config = PreadConfig.builder().bufferSize(4096).build();
 * Directory directory = new PreadDirectory(path, FSLockFactory.getDefault(), config);
 * }</pre>
 */
public final class PreadConfig {

  private static final int MIN_BUFFER_SIZE = Long.BYTES;
  private static final int MAX_BUFFER_SIZE = 1 << 20;
  private static final int MIN_WRITE_BUFFER_SIZE = 4 << 10;
  private static final int MAX_LARGE_BUFFER_SIZE = 16 << 20;

  /** The configuration with all defaults. */
  public static final PreadConfig DEFAULT = builder().build();

  private final String backend;
  private final BlockCache cache;
  private final int bufferSize;
  private final int sequentialBufferSize;
  private final int writeBufferSize;
  private final long directWriteMinSize;
  private final boolean randomByDefault;
  private final boolean dropBehind;

  private PreadConfig(Builder builder) {
    backend = builder.backend;
    cache = builder.cache;
    bufferSize = builder.bufferSize;
    sequentialBufferSize = builder.sequentialBufferSize;
    writeBufferSize = builder.writeBufferSize;
    directWriteMinSize = builder.directWriteMinSize;
    randomByDefault = builder.randomByDefault;
    dropBehind = builder.dropBehind;
    BackendRegistry.checkName(backend, "PreadConfig.backend");
    checkSize("bufferSize", bufferSize, MIN_BUFFER_SIZE, MAX_BUFFER_SIZE);
    checkSize("sequentialBufferSize", sequentialBufferSize, MIN_BUFFER_SIZE, MAX_LARGE_BUFFER_SIZE);
    checkSize("writeBufferSize", writeBufferSize, MIN_WRITE_BUFFER_SIZE, MAX_LARGE_BUFFER_SIZE);
    if (directWriteMinSize < 0) {
      throw new IllegalArgumentException(
          "PreadConfig.directWriteMinSize is "
              + directWriteMinSize
              + ": use 0 (all merges and flushes) or more (bytes)");
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

  /** Returns a builder that starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that starts from this configuration, to change parts of it. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.backend = backend;
    builder.cache = cache;
    builder.bufferSize = bufferSize;
    builder.sequentialBufferSize = sequentialBufferSize;
    builder.writeBufferSize = writeBufferSize;
    builder.directWriteMinSize = directWriteMinSize;
    builder.randomByDefault = randomByDefault;
    builder.dropBehind = dropBehind;
    return builder;
  }

  /**
   * Returns {@code auto}, {@code ffm}, {@code jni} or {@code channel}. The default, {@code auto},
   * means the backend that the system property {@code dev.pread.backend} names, or else the best
   * that works here.
   */
  public String backend() {
    return backend;
  }

  /**
   * Returns the name of the backend that a directory of this configuration uses in this process:
   * {@code ffm}, {@code jni} or {@code channel}.
   *
   * @throws IllegalStateException if {@link #backend} names one that can't be used here; the
   *     message has the reason and the remedy
   * @throws IllegalArgumentException if {@link #backend} is {@code auto}, and the value of the
   *     system property names no backend
   */
  public String backendInUse() {
    return BackendRegistry.choose(backend).calls().name();
  }

  /**
   * Returns the cache for the blocks of a directory's files; whoever made it closes it. The default
   * is null: all directories of a kind in this process then share one, which is as {@link
   * BlockCache#BlockCache()} makes it. {@code -Ddev.pread.cache.bytes} gives it a fixed size for
   * {@link PreadDirectory}, {@code -Ddev.pread.direct.cache.bytes} for {@link
   * DirectPreadDirectory}. With {@code new BlockCache(0)} there is no cache.
   */
  public BlockCache cache() {
    return cache;
  }

  /**
   * Returns the size in bytes of an input's buffer for random access where there is no cache: a
   * power of two from 8 to 1 MiB. An input has up to two such buffers, made when they are first
   * needed. Where the page cache is to have all the memory, so that there is no cache, a larger
   * buffer speeds up scans and slows down point reads.
   */
  public int bufferSize() {
    return bufferSize;
  }

  /**
   * Returns the size in bytes of an input's buffer for files that are read from start to end, by
   * merges for example: no option, since these are read ahead in larger pieces. It is never smaller
   * than the other one.
   */
  int sequentialBufferSize() {
    return Math.max(bufferSize, sequentialBufferSize);
  }

  /**
   * Returns the size in bytes of an output's buffer, at multiples of which writes begin: no option,
   * since more would go to the kernel in pieces of this size all the same.
   */
  int writeBufferSize() {
    return writeBufferSize;
  }

  /**
   * Returns how many bytes a merge or a flush must be expected to write for {@link
   * DirectPreadDirectory} to write them past the page cache; 0 means all merges and flushes, which
   * leaves the page cache to other processes. {@link PreadDirectory} never writes past the page
   * cache.
   */
  public long directWriteMinSize() {
    return directWriteMinSize;
  }

  /**
   * Returns whether files that Lucene opens without a hint are taken to be read at random, so that
   * the kernel reads no more of them than is asked for. By default this is left to the kernel,
   * which reads ahead in vain if an index far larger than memory is searched by code that gives no
   * hints.
   */
  public boolean randomByDefault() {
    return randomByDefault;
  }

  /**
   * Returns whether the pages of a cold file of at least 1 MiB that Lucene reads once leave the
   * page cache when the file is closed. Files that were resident before stay resident. Where such a
   * file is soon read again, by a replication to one node after the other for example, it is better
   * left there.
   */
  public boolean dropBehind() {
    return dropBehind;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PreadConfig that
        && backend.equals(that.backend)
        && cache == that.cache
        && bufferSize == that.bufferSize
        && sequentialBufferSize == that.sequentialBufferSize
        && writeBufferSize == that.writeBufferSize
        && directWriteMinSize == that.directWriteMinSize
        && randomByDefault == that.randomByDefault
        && dropBehind == that.dropBehind;
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        backend,
        cache,
        bufferSize,
        sequentialBufferSize,
        writeBufferSize,
        directWriteMinSize,
        randomByDefault,
        dropBehind);
  }

  @Override
  public String toString() {
    return "PreadConfig(backend="
        + backend
        + ", cache="
        + cache
        + ", bufferSize="
        + bufferSize
        + ", directWriteMinSize="
        + directWriteMinSize
        + ", randomByDefault="
        + randomByDefault
        + ", dropBehind="
        + dropBehind
        + ")";
  }

  /** Collects the values of a {@link PreadConfig}. A builder is not thread-safe. */
  public static final class Builder {

    private String backend = BackendRegistry.AUTO;
    private BlockCache cache;
    private int bufferSize = 1 << 10;
    private int sequentialBufferSize = 16 << 10;
    private int writeBufferSize = 64 << 10;
    private long directWriteMinSize = 10 << 20;
    private boolean randomByDefault;
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

    /** Sets {@link PreadConfig#bufferSize}. */
    public Builder bufferSize(int bytes) {
      this.bufferSize = bytes;
      return this;
    }

    /**
     * Sets {@link PreadConfig#sequentialBufferSize}: for tests, in which small buffers end often.
     */
    Builder sequentialBufferSize(int bytes) {
      this.sequentialBufferSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#writeBufferSize}: for tests, in which small buffers end often. */
    Builder writeBufferSize(int bytes) {
      this.writeBufferSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#directWriteMinSize}. */
    public Builder directWriteMinSize(long bytes) {
      this.directWriteMinSize = bytes;
      return this;
    }

    /** Sets {@link PreadConfig#randomByDefault}. */
    public Builder randomByDefault(boolean randomByDefault) {
      this.randomByDefault = randomByDefault;
      return this;
    }

    /** Sets {@link PreadConfig#dropBehind}. */
    public Builder dropBehind(boolean dropBehind) {
      this.dropBehind = dropBehind;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException naming the value that is not allowed, and the allowed ones
     */
    public PreadConfig build() {
      return new PreadConfig(this);
    }
  }
}
