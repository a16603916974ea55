/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;

/** The regular files of a tar archive, plain or compressed, in the archive's order. */
final class TarCorpus implements Corpus {
  private static final int BUFFER_BYTES = 1 << 16;

  /** As much of an archive as has its magic number in it. */
  private static final int HEADER_BYTES = 512;

  private final Path path;
  private final long totalBytes;
  private final CountingStream counter;
  private final TarArchiveInputStream tar;
  private final Runnable end;

  private TarCorpus(
      Path path, long totalBytes, CountingStream counter, InputStream unpacked, Runnable end) {
    this.path = path;
    this.totalBytes = totalBytes;
    this.counter = counter;
    this.tar = new TarArchiveInputStream(unpacked);
    this.end = end;
  }

  /**
   * Opens the archive.
   *
   * @return null if the file is no tar archive, in whichever compression
   * @throws IOException if it cannot be read, or its compression is damaged at its start
   */
  static TarCorpus open(Path path) throws IOException {
    return open(path, Files.newInputStream(path), Files.size(path), () -> {});
  }

  /**
   * Opens an archive that is part of a file.
   *
   * @param in the archive, which is closed if this is none
   * @param totalBytes its length
   * @param end is run when the corpus is closed
   * @return null if it is no tar archive
   */
  static TarCorpus open(Path path, InputStream in, long totalBytes, Runnable end)
      throws IOException {
    CountingStream counter = new CountingStream(in);
    TarCorpus corpus = null;
    try {
      InputStream unpacked = decompress(new BufferedInputStream(counter, BUFFER_BYTES));
      unpacked.mark(HEADER_BYTES);
      byte[] header = unpacked.readNBytes(HEADER_BYTES);
      unpacked.reset();
      if (TarArchiveInputStream.matches(header, header.length)) {
        corpus = new TarCorpus(path, totalBytes, counter, unpacked, end);
      }
      return corpus;
    } finally {
      if (corpus == null) {
        counter.close();
      }
    }
  }

  private static InputStream decompress(InputStream in) throws IOException {
    String compression;
    try {
      compression = CompressorStreamFactory.detect(in);
    } catch (CompressorException notCompressed) {
      return in;
    }
    try {
      InputStream unpacked =
          new CompressorStreamFactory(true).createCompressorInputStream(compression, in);
      return new BufferedInputStream(unpacked, BUFFER_BYTES);
    } catch (CompressorException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public SourceText next() throws CorpusException {
    try {
      TarArchiveEntry entry;
      while ((entry = tar.getNextEntry()) != null) {
        if (entry.isFile() && tar.canReadEntryData(entry)) {
          SourceText text = TextFiles.read(entry.getName(), tar);
          if (text != null) {
            return text;
          }
        }
      }
      return null;
    } catch (IOException e) {
      throw Corpora.damaged(path, e);
    }
  }

  @Override
  public double progress() {
    return Math.min(1, counter.count.doubleValue() / totalBytes);
  }

  @Override
  public void close() throws IOException {
    try {
      tar.close();
    } finally {
      end.run();
    }
  }

  /** Counts what has been read of the file itself: the only length known beforehand. */
  private static final class CountingStream extends FilterInputStream {
    private final AtomicLong count = new AtomicLong();

    CountingStream(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count.addAndGet(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = super.read(buffer, offset, length);
      count.addAndGet(Math.max(0, read));
      return read;
    }
  }
}
