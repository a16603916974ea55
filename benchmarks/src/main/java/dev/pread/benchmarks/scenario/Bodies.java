/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.UserError;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Texts to write documents with, real ones, few enough to be held in memory. Immutable. */
final class Bodies {
  private final List<String> texts;

  Bodies(List<String> texts) {
    this.texts = List.copyOf(texts);
    if (this.texts.isEmpty()) {
      throw new IllegalArgumentException("no texts");
    }
  }

  /** One of them. */
  String get(long number) {
    return texts.get((int) Math.floorMod(number, (long) texts.size()));
  }

  /** Keeps them in a file. */
  void write(Path file) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(texts.size());
      for (String text : texts) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
      }
    }
  }

  /**
   * Reads them back.
   *
   * @throws UserError if the file is damaged
   */
  static Bodies read(Path file) throws IOException, UserError {
    try (DataInputStream in =
        new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(file)))) {
      int count = in.readInt();
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        byte[] bytes = in.readNBytes(in.readInt());
        texts.add(new String(bytes, StandardCharsets.UTF_8));
      }
      return new Bodies(texts);
    } catch (java.io.EOFException | IllegalArgumentException e) {
      throw new UserError(file + " is damaged: delete the work folder and run again", e);
    }
  }
}
