/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pread.benchmarks.machine.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Reads and writes a {@link Run} as a JSON file. It is thread-safe. */
public final class RunFile {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          // Files of later versions may say more.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private RunFile() {}

  /** Reads a run; what is no such file, or cut off, is an error of the user. */
  public static Run read(Path file) {
    try {
      Run run = JSON.readValue(file.toFile(), Run.class);
      if (run == null || !Run.FORMAT.equals(run.format())) {
        throw new UserError(
            file + " is no result of this suite (no format " + Run.FORMAT + "): name another");
      }
      return run;
    } catch (IOException e) {
      throw new UserError(file + " cannot be read: name a file that --json wrote: " + e, e);
    }
  }

  /** Writes a run; whoever reads meanwhile sees the old file or the new one, never a part. */
  public static void write(Path file, Run run) throws IOException {
    Path target = file.toAbsolutePath();
    Path part = target.resolveSibling(target.getFileName() + ".part");
    try {
      Files.write(part, JSON.writeValueAsBytes(run));
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
