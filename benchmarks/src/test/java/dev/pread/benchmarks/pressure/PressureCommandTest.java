/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.machine.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.FilterIndexInput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of {@code pressure} from their arguments to their output, children included. */
@Tag("slow")
class PressureCommandTest {
  @TempDir private Path temp;

  /** Runs a part; the read-ahead of this machine is left alone. */
  private static Cli pressure(String part, Object... args) {
    List<Object> all = new ArrayList<>(List.of("pressure", part, "--read-ahead", 0));
    all.addAll(List.of(args));
    return Cli.run(all.toArray());
  }

  private Cli random(Object... args) {
    List<Object> all =
        new ArrayList<>(
            List.of(
                "--work",
                temp.resolve("work"),
                "--file-size",
                "8m",
                "--bytes",
                "4096",
                "--threads",
                "2",
                "--seconds",
                "0.2",
                "--warmup",
                "0.1"));
    all.addAll(List.of(args));
    return pressure("random", all.toArray());
  }

  private void assertGone() {
    assertFalse(Files.exists(temp.resolve("work")), "the work folder is gone");
  }

  private static void assertOneLine(String expected, Cli cli) {
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertEquals(1, cli.err().lines().count(), cli.err());
    assertTrue(cli.err().contains(expected), cli.err());
    assertEquals("", cli.out());
  }

  @Test
  void randomReadsWithinALimit() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Machines.assumeCgroups();
    Path json = temp.resolve("result.json");
    Cli cli =
        random(
            "--memory",
            "256m",
            "--rounds",
            2,
            "--zipf",
            "0.99",
            "--json",
            json,
            "--directories",
            "mmap,mmap-random,pread,fio",
            "--java-option",
            "all=-Dsome.property=1");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().contains("memory limit 256 MiB"), cli.out());
    assertTrue(cli.out().contains("Zipf 0.99"), cli.out());
    boolean fio = !cli.out().contains("fio left out");
    JsonNode root = new ObjectMapper().readTree(Files.readAllBytes(json));
    assertEquals(fio ? 8 : 6, root.get("slots").size());
    assertEquals(fio ? 4 : 3, root.get("results").size());
    for (JsonNode slot : root.get("slots")) {
      assertTrue(slot.get("readsPerMs").asDouble() > 0, slot.toString());
      assertTrue(slot.get("latencies").get("p50").asDouble() > 0, slot.toString());
      assertTrue(slot.get("peakBytes").asLong() > 1 << 20, slot.toString());
      assertTrue(slot.get("peakBytes").asLong() <= 256 << 20, slot.toString());
    }
    // The order turns: who was first is last, and the next one first.
    int perRound = fio ? 4 : 3;
    assertEquals("mmap", root.get("slots").get(0).get("contender").asText());
    assertEquals("mmap-random", root.get("slots").get(perRound).get("contender").asText());
    assertGone();
  }

  @Test
  void keptFilesAreUsedAgainButNotTheirPages() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Path data = temp.resolve("work/data");
    Path json = temp.resolve("result.json");
    Object[] args = {
      "--memory", 0, "--rounds", 1, "--directories", "mmap", "--keep", "--json", json
    };
    Cli first = random(args);
    assertEquals(ExitCode.OK, first.code(), first.err());
    assertTrue(first.out().contains("--work " + temp.resolve("work")), first.out());
    assertEquals(8 << 20, Files.size(data));
    Object key = Files.getAttribute(data, "unix:ino");
    Object time = Files.getLastModifiedTime(data);
    Files.readAllBytes(data);
    Cli second =
        pressure(
            "random",
            "--work",
            temp.resolve("work"),
            "--file-size",
            "8m",
            "--bytes",
            "4096",
            "--threads",
            "2",
            "--seconds",
            "0.2",
            "--warmup",
            0,
            "--memory",
            0,
            "--rounds",
            1,
            "--directories",
            "mmap",
            "--keep",
            "--json",
            json);
    assertEquals(ExitCode.OK, second.code(), second.err());
    assertEquals(key, Files.getAttribute(data, "unix:ino"));
    assertEquals(time, Files.getLastModifiedTime(data));
    JsonNode slot = new ObjectMapper().readTree(Files.readAllBytes(json)).get("slots").get(0);
    assertTrue(slot.get("majorFaults").asLong() > 0, "the file was cold: " + slot);
  }

  @Test
  void wrongBytesAreAMismatch() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    String lying = Lying.class.getName();
    Cli cli = random("--memory", 0, "--rounds", 1, "--directories", "niofs," + lying);
    assertEquals(ExitCode.MISMATCH, cli.code(), cli.err());
    assertTrue(cli.err().contains(lying + " in random failed"), cli.err());
    assertTrue(cli.err().contains("wrong bytes: the read of 4096 bytes"), cli.err());
    assertTrue(cli.out().contains("niofs"), "what was measured before is shown: " + cli.out());
    assertGone();
  }

  /** Returns the bytes of another place once in a while. */
  public static final class Lying extends NIOFSDirectory {
    /** Called by its name. */
    public Lying(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      return new LyingInput(super.openInput(name, context));
    }
  }

  private static final class LyingInput extends FilterIndexInput {
    LyingInput(IndexInput in) {
      super("lying " + in, in);
    }

    @Override
    public void seek(long position) throws IOException {
      super.seek(position == 0 ? 4096 : position);
    }

    @Override
    public IndexInput clone() {
      return new LyingInput(in.clone());
    }
  }

  @Test
  void childThatExceedsTheLimitIsOneLine() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Machines.assumeCgroups();
    Cli cli =
        random(
            "--memory",
            "192m",
            "--directories",
            "pread",
            "--java-option",
            "pread=-Xmx1g",
            "--java-option",
            "pread=-Xms1g",
            "--java-option",
            "pread=-XX:+AlwaysPreTouch");
    assertOneLine("was killed by the kernel", cli);
    assertGone();
  }

  @Test
  void jvmThatDoesNotStartIsOneLine() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Cli cli =
        random("--memory", 0, "--directories", "pread", "--java-option", "pread=-XX:+NoSuchFlag");
    assertOneLine("correct --java-option", cli);
    assertTrue(cli.err().contains("NoSuchFlag"), cli.err());
    assertGone();
  }

  @Test
  void coldStart() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Path json = temp.resolve("result.json");
    Cli cli =
        pressure(
            "cold",
            "--work",
            temp.resolve("work"),
            "--file-size",
            "8m",
            "--warmup-size",
            "4m",
            "--threads",
            2,
            "--seconds",
            1,
            "--warmup",
            "0.2",
            "--rounds",
            1,
            "--json",
            json,
            "--every");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().contains("s to 90 %"), cli.out());
    assertTrue(cli.out().contains("file 8 MiB, another of 4 MiB before"), cli.out());
    assertTrue(
        cli.out().lines().anyMatch(line -> line.matches(" *0\\.4( +[\\d.,]+){3}")), cli.out());
    JsonNode slots = new ObjectMapper().readTree(Files.readAllBytes(json)).get("slots");
    assertEquals(3, slots.size());
    for (JsonNode slot : slots) {
      assertEquals(10, slot.get("readsPerInterval").size());
    }
    assertGone();
  }

  @Test
  void searchesDuringAMerge() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Machines.assumeCgroups();
    Path corpus = SampleText.write(temp.resolve("corpus"));
    Path json = temp.resolve("result.json");
    Path work = temp.resolve("work");
    Cli cli =
        pressure(
            "merge",
            "--work",
            work,
            "--corpus",
            corpus,
            "--copies",
            3,
            "--memory",
            "512m",
            "--warmup",
            "0.2",
            "--seconds",
            "0.3",
            "--rate",
            100,
            "--threads",
            2,
            "--rounds",
            1,
            "--directories",
            "mmap,pread",
            "--json",
            json,
            "--keep");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().contains("copies of the same documents"), cli.out());
    JsonNode slots = new ObjectMapper().readTree(Files.readAllBytes(json)).get("slots");
    assertEquals(2, slots.size());
    for (JsonNode slot : slots) {
      JsonNode result = slot.get("result");
      assertTrue(result.get("mergeSeconds").asDouble() > 0, slot.toString());
      assertTrue(result.get("segments").asInt() >= 3, slot.toString());
      assertTrue(result.get("quiet").get("latencies").get("count").asLong() > 5, slot.toString());
    }
    // Each merge had an index of its own: the source still has all its segments.
    Cli again =
        pressure(
            "merge",
            "--index",
            work.resolve("index"),
            "--work",
            temp.resolve("other"),
            "--memory",
            "512m",
            "--warmup",
            "0.1",
            "--seconds",
            "0.1",
            "--rounds",
            1,
            "--directories",
            "niofs");
    assertEquals(ExitCode.OK, again.code(), again.err());
    assertTrue(again.out().contains("niofs"), again.out());
    assertFalse(Files.exists(temp.resolve("other")));
  }

  @Test
  void footprintOfClones() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Path json = temp.resolve("result.json");
    Cli cli =
        pressure(
            "footprint",
            "--work",
            temp.resolve("work"),
            "--files",
            10,
            "--clones",
            20_000,
            "--heap",
            "256m",
            "--file-size",
            "64k",
            "--rounds",
            1,
            "--json",
            json,
            "--directories",
            "niofs,pread",
            "--java-option",
            "pread=-Ddev.pread.cache.bytes=64m");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().lines().anyMatch(line -> line.matches("pread .* 64m")), cli.out());
    JsonNode results = new ObjectMapper().readTree(Files.readAllBytes(json)).get("results");
    JsonNode niofs = ofContender(results, "niofs");
    JsonNode pread = ofContender(results, "pread");
    // A buffer of 1 KiB in each clone.
    assertTrue(niofs.get("heap").asDouble() > 20_000 * 1024.0, niofs.toString());
    // What is read lies in the cache: a clone is no more than its own fields.
    assertTrue(pread.get("heap").asDouble() > 20_000 * 64.0, pread.toString());
    assertTrue(pread.get("heap").asDouble() < 20_000 * 512.0, pread.toString());
    // What is resident may even have shrunk, where the heap gave back more than the clones took.
    for (JsonNode row : results) {
      assertTrue(row.get("rssBefore").asDouble() > 20 << 20, row.toString());
      assertTrue(
          row.get("anonymous").asDouble() <= row.get("rss").asDouble() + (8 << 20), row.toString());
    }
    assertGone();
  }

  private static JsonNode ofContender(JsonNode results, String name) {
    for (JsonNode row : results) {
      if (row.get("contender").asText().equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no " + name + " in " + results);
  }

  @Test
  void indexOfOneSegmentIsOneLine() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    Path corpus = Files.createDirectory(temp.resolve("corpus"));
    Files.writeString(corpus.resolve("one.txt"), "a few words and no more\n");
    Cli cli =
        pressure(
            "merge",
            "--work",
            temp.resolve("work"),
            "--corpus",
            corpus,
            "--copies",
            1,
            "--memory",
            0,
            "--heap",
            "128m");
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("merging takes two"), cli.err());
    assertGone();
  }
}
