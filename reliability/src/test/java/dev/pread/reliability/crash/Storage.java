/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.FaultSystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.FSDirectory;

/** What the index is written through and read with again. */
enum Storage {
  /** Everything is written through the page cache, in many small writes. */
  BUFFERED("ffm", 0),
  /** Everything that can be is written past the page cache, and its tail cut, in small blocks. */
  DIRECT_512("jni", 512),
  /** The same in blocks of the size that most devices have. */
  DIRECT_4096("ffm", 4096);

  private static final PreadConfig CONFIG =
      Fixtures.writeBuffer(PreadConfig.builder().directWriteMinSize(0), 4096).build();

  private static final BlockCache CACHE = Fixtures.tinyCache(256, 12);

  private final String backend;
  private final int alignment;

  Storage(String backend, int alignment) {
    this.backend = backend;
    this.alignment = alignment;
  }

  /**
   * Returns the calls, which don't wait for the device; direct I/O is simulated, so that it is had.
   */
  FaultSystemCalls calls() {
    FaultSystemCalls faults =
        new FaultSystemCalls(BackendRegistry.get(backend).calls())
            .withoutRecord()
            .simulateDirect(alignment);
    faults.on(FaultSystemCalls.Function.FSYNC).always().answer(0);
    return faults.on(FaultSystemCalls.Function.FDATASYNC).always().answer(0);
  }

  /** Returns a directory over these calls. */
  FSDirectory open(Path folder, Backend calls) throws IOException {
    return alignment == 0
        ? Fixtures.directory(folder, CONFIG, CACHE, calls)
        : Fixtures.direct(folder, CONFIG, CACHE, calls);
  }
}
