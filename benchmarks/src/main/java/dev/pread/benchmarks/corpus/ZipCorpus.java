/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The entries of a zip or jar file, in the order of its directory. */
final class ZipCorpus implements Corpus {
  private final Path path;
  private final ZipFile zip;
  private final Enumeration<? extends ZipEntry> entries;
  private int seen;
  private volatile double progress;

  ZipCorpus(Path path) throws IOException {
    this.path = path;
    this.zip = new ZipFile(path.toFile());
    this.entries = zip.entries();
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public SourceText next() throws CorpusException {
    while (entries.hasMoreElements()) {
      ZipEntry entry = entries.nextElement();
      progress = (double) ++seen / zip.size();
      if (entry.isDirectory()) {
        continue;
      }
      try (InputStream in = zip.getInputStream(entry)) {
        SourceText text = TextFiles.read(entry.getName(), in);
        if (text != null) {
          return text;
        }
      } catch (IOException e) {
        throw Corpora.damaged(path, e);
      }
    }
    return null;
  }

  @Override
  public double progress() {
    return progress;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
