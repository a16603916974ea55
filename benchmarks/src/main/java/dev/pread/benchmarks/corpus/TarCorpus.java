/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.lucene.util.IOUtils;

/** The regular files of a tar archive, plain or compressed, in the archive's order. */
final class TarCorpus implements Corpus {
  /** As much of an archive as has its magic number in it. */
  private static final int HEADER_BYTES = 512;

  private final Path path;
  private final FileChannel file;
  private final TarArchiveInputStream tar;
  private volatile double progress;

  private TarCorpus(Path path, FileChannel file, InputStream unpacked) {
    this.path = path;
    this.file = file;
    this.tar = new TarArchiveInputStream(unpacked);
  }

  /**
   * Opens the archive.
   *
   * @return null if the file is no tar archive, in whichever compression
   * @throws IOException if it cannot be read, or its compression is damaged at its start
   */
  static TarCorpus open(Path path) throws IOException {
    FileChannel file = FileChannel.open(path);
    TarCorpus corpus = null;
    try {
      InputStream unpacked = unpack(new BufferedInputStream(Channels.newInputStream(file)));
      unpacked.mark(HEADER_BYTES);
      byte[] header = unpacked.readNBytes(HEADER_BYTES);
      unpacked.reset();
      if (TarArchiveInputStream.matches(header, header.length)) {
        corpus = new TarCorpus(path, file, unpacked);
      }
      return corpus;
    } finally {
      if (corpus == null) {
        file.close();
      }
    }
  }

  private static InputStream unpack(InputStream in) throws IOException {
    String compression;
    try {
      compression = CompressorStreamFactory.detect(in);
    } catch (CompressorException notCompressed) {
      return in;
    }
    try {
      return new BufferedInputStream(
          new CompressorStreamFactory(true).createCompressorInputStream(compression, in));
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
        progress = file.position() / (double) file.size();
        if (entry.isFile() && tar.canReadEntryData(entry)) {
          SourceText text = Corpora.text(entry.getName(), tar);
          if (text != null) {
            return text;
          }
        }
      }
      progress = 1;
      return null;
    } catch (IOException e) {
      throw Corpora.damaged(path, e);
    }
  }

  @Override
  public double progress() {
    return progress;
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(tar, file);
  }
}
