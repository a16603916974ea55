/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Advice;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.nio.file.Files;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.BeforeEach;

/** Files of which nothing is in the page cache, and what the kernel is told of them. */
abstract class AdviceTestCase extends BackendTestCase {

  static final int LARGE = 1 << 20;

  @BeforeEach
  void write() throws Exception {
    Files.write(folder.resolve("large"), new byte[LARGE]);
    Files.write(folder.resolve("small"), new byte[LARGE - 1]);
    Files.write(folder.resolve("empty"), new byte[0]);
    cold();
  }

  void cold() {
    faults.calm();
    faults.forget();
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    faults.on(Function.FADVISE).always().answer(0);
  }

  PreadIndexInput open(PreadDirectory directory, String name, IOContext context) throws Exception {
    return (PreadIndexInput) directory.openInput(name, context);
  }

  /** Returns the advice given while {@code name} is opened, read and closed. */
  List<Advice> adviceFor(String name, IOContext context, PreadConfig config) throws Exception {
    faults.forget();
    try (PreadDirectory directory = Fixtures.directory(folder, config, backend)) {
      PreadIndexInput input = open(directory, name, context);
      if (input.length() > 0) {
        input.readByte();
      }
      PreadIndexInput clone = input.clone();
      clone.close();
      input.close();
      input.close();
      clone.close();
    }
    return faults.advice();
  }

  List<Advice> adviceFor(String name, IOContext context) throws Exception {
    return adviceFor(name, context, PreadConfig.DEFAULT);
  }
}
