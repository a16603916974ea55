/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.IOException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/**
 * Records in a trace which blocks of another directory's files are read, by whatever method and
 * whatever thread, and which files are deleted. Not recorded: {@code prefetch}, which reads nothing
 * that it returns, and writes. A file keeps its number when it is closed and opened again.
 * Thread-safe, as directories are. Closes the other directory, and leaves the trace to its owner.
 */
public final class RecordingDirectory extends FilterDirectory {
  private final TraceWriter trace;

  /** Enters all files that are there into the trace. */
  public RecordingDirectory(Directory in, TraceWriter trace) throws IOException {
    super(in);
    this.trace = trace;
    for (String name : in.listAll()) {
      trace.file(name, in.fileLength(name));
    }
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    IndexInput input = in.openInput(name, context);
    int file = trace.file(name, input.length());
    return new RecordingInput(input, trace, file, 0, RecordingInput.flags(context));
  }

  @Override
  public void deleteFile(String name) throws IOException {
    in.deleteFile(name);
    trace.deleted(name);
  }

  @Override
  public void rename(String source, String dest) throws IOException {
    in.rename(source, dest);
    trace.renamed(source, dest);
  }
}
