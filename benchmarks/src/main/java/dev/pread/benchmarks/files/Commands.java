/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The commands of this package: each is a part of the suite by itself, after the ceilings. */
public final class Commands {
  private Commands() {}

  /** {@code grid}: every way to read a file, where it fits into memory and where it does not. */
  @Command(
      name = "grid",
      description =
          "Reads blocks of a file in every way there is, at random and in a row, with 1 to 16"
              + " threads, where the file fits into memory, just does not, exceeds it, or is cold."
              + " JMH measures, within a memory cgroup; every way's bytes are checked.")
  public static final class Grid extends SuiteCommand {
    @Mixin private GridPart part = new GridPart();

    /** Made by picocli. */
    public Grid() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(new CeilingPart(), part);
    }
  }

  /** {@code streams}: whole files in a row. */
  @Command(
      name = "streams",
      description =
          "Writes and reads whole files through streams, channels, mappings and Lucene's outputs"
              + " and inputs.")
  public static final class Streams extends SuiteCommand {
    @Mixin private StreamsPart part = new StreamsPart();

    /** Made by picocli. */
    public Streams() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(new CeilingPart(), part);
    }
  }

  /** {@code native}: single system calls. */
  @Command(
      name = "native",
      description =
          "Measures what single system calls cost through each backend and through the JDK, and"
              + " reads a file in the page cache into arrays.")
  public static final class Native extends SuiteCommand {
    @Mixin private NativePart part = new NativePart();

    /** Made by picocli. */
    public Native() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(new CeilingPart(), part);
    }
  }

  /** {@code output}: what asking a writer for its position costs. */
  @Command(
      name = "output",
      description =
          "Measures writers that are asked for their position after every write beside some that"
              + " are not: time, and system calls.")
  public static final class Output extends SuiteCommand {
    @Mixin private OutputPart part = new OutputPart();

    /** Made by picocli. */
    public Output() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(new CeilingPart(), part);
    }
  }

  /** {@code safepoints}: who holds up the JVM while the disk is waited for. */
  @Command(
      name = "safepoints",
      description =
          "Measures how long safepoints and collections are held up while 16 threads read a file"
              + " that is not in memory: through the backends, and in critical sections.")
  public static final class Safepoints extends SuiteCommand {
    @Mixin private SafepointsPart part = new SafepointsPart();

    /** Made by picocli. */
    public Safepoints() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(part);
    }
  }

  /** {@code ceiling}: what no directory can beat. */
  @Command(
      name = "ceiling",
      description =
          "Measures what no directory can beat: the device with O_DIRECT (fio, or a loop of pread(2)"
              + " through FFM where there is no fio), and copies in memory.")
  public static final class Ceiling extends SuiteCommand {
    @Mixin private CeilingPart part = new CeilingPart();

    /** Made by picocli. */
    public Ceiling() {}

    @Override
    protected List<SuitePart> parts() {
      return List.of(part);
    }
  }
}
