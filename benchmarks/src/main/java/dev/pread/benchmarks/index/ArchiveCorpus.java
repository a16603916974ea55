/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveException;
import org.apache.commons.compress.archivers.ArchiveInputStream;
import org.apache.commons.compress.archivers.ArchiveStreamFactory;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.lucene.util.IOUtils;

/** The files of a zip or tar archive, the latter plain or compressed, in the archive's order. */
final class ArchiveCorpus implements Corpus {
  private final Path path;
  private final FileChannel file;
  private final ArchiveInputStream<?> archive;
  private volatile double progress;

  /**
   * Opens it.
   *
   * @throws UserError if the file is no archive
   */
  ArchiveCorpus(Path path) throws IOException {
    this.path = path;
    this.file = FileChannel.open(path);
    InputStream unpacked = new BufferedInputStream(Channels.newInputStream(file));
    try {
      unpacked =
          new BufferedInputStream(
              new CompressorStreamFactory(true).createCompressorInputStream(unpacked));
    } catch (CompressorException notCompressed) {
      // Then it is read as it is.
    }
    try {
      archive = new ArchiveStreamFactory().createArchiveInputStream(unpacked);
    } catch (ArchiveException e) {
      file.close();
      throw new UserError(
          "corpus " + path + " is neither a folder nor a zip nor a tar archive: name one", e);
    }
  }

  @Override
  public Text next() {
    try {
      ArchiveEntry entry;
      while ((entry = archive.getNextEntry()) != null) {
        progress = file.position() / (double) file.size();
        if (!entry.isDirectory() && archive.canReadEntryData(entry)) {
          Text text = Corpus.read(entry.getName(), archive);
          if (text != null) {
            return text;
          }
        }
      }
      progress = 1;
      return null;
    } catch (IOException e) {
      throw Corpus.unreadable(path, e);
    }
  }

  @Override
  public double progress() {
    return progress;
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(archive, file);
  }
}
