/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;

/**
 * What {@link LocaleTest} runs in the JVM of a locale. It prints a line per thing it tries, in
 * ASCII, whatever the locale.
 */
final class LocaleJvm {

  private static final byte REAL_CONTENT = 1;
  private static final byte DECOY_CONTENT = 2;

  private LocaleJvm() {}

  /** The arguments are a folder, and the characters of a name as hexadecimal numbers. */
  public static void main(String[] args) throws IOException {
    System.out.println("charset=" + System.getProperty("sun.jnu.encoding"));
    Path folder = Path.of(args[0]);
    StringBuilder name = new StringBuilder();
    for (String character : args[1].split(",", -1)) {
      name.appendCodePoint(Integer.parseInt(character, 16));
    }
    Path index = Files.createDirectory(folder.resolve(name.toString()));
    try (Directory directory = new PreadDirectory(index)) {
      System.out.println("pages: " + roundTrip(directory, index, name + ".p"));
    }
    try (Directory directory = new DirectPreadDirectory(index)) {
      System.out.println("direct: " + roundTrip(directory, index, name + ".d"));
    }
    undecodable(folder);
  }

  /** Creates, syncs, renames and reads a file by {@code directory}, and looks at it without. */
  private static String roundTrip(Directory directory, Path index, String name) throws IOException {
    try (IndexOutput out = directory.createOutput(name + ".tmp", IOContext.DEFAULT)) {
      out.writeByte(REAL_CONTENT);
    }
    directory.sync(List.of(name + ".tmp"));
    directory.rename(name + ".tmp", name);
    directory.syncMetaData();
    try (IndexInput in = directory.openInput(name, IOContext.DEFAULT)) {
      return "read " + in.readByte() + ", there " + Files.readAllBytes(index.resolve(name))[0];
    }
  }

  /**
   * A folder whose name has a byte that means nothing in most charsets, beside one with the name
   * that comes out if that byte is replaced on its way to a string and back.
   */
  private static void undecodable(Path folder) throws IOException {
    Path raw = Path.of(URI.create(folder.toUri() + "x%FF"));
    Files.write(Files.createDirectory(raw).resolve("f"), new byte[] {REAL_CONTENT});
    String decoded = raw.getFileName().toString();
    Path decoy = null;
    if (decoded.indexOf('\uFFFD') >= 0) {
      boolean unicode = System.getProperty("sun.jnu.encoding").equals("UTF-8");
      decoy = folder.resolve(unicode ? decoded : decoded.replace('\uFFFD', '?'));
      Files.write(Files.createDirectory(decoy).resolve("f"), new byte[] {DECOY_CONTENT});
    }
    try (Directory directory = new PreadDirectory(raw)) {
      System.out.println("undecodable: " + tryBoth(directory));
      System.out.println("created: " + Files.exists(raw.resolve("g")));
    }
    System.out.println("decoy touched: " + (decoy != null && Files.exists(decoy.resolve("g"))));
  }

  private static String tryBoth(Directory directory) {
    try (IndexOutput out = directory.createOutput("g", IOContext.DEFAULT);
        IndexInput in = directory.openInput("f", IOContext.DEFAULT)) {
      byte read = in.readByte();
      out.writeByte(read);
      return "read " + read;
    } catch (IOException e) {
      return e.toString().replaceAll("[^ -~]", ".");
    }
  }
}
