/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.files.CeilingCommand;
import dev.pread.benchmarks.files.GridCommand;
import dev.pread.benchmarks.files.NativeCommand;
import dev.pread.benchmarks.files.OutputCommand;
import dev.pread.benchmarks.files.PressureCommand;
import dev.pread.benchmarks.files.SafepointsCommand;
import dev.pread.benchmarks.files.StreamsCommand;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.Version;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.search.CompareCommand;
import dev.pread.benchmarks.search.WorkloadsCommand;
import dev.pread.benchmarks.server.ServerCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * Starts {@code benchmarks.jar}. Only this class ends the process, and only it turns exceptions
 * into messages and exit codes.
 */
@Command(
    name = "java -jar benchmarks.jar",
    description = "Measures Lucene directories against each other.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CompareCommand.class,
      AllCommand.class,
      GridCommand.class,
      WorkloadsCommand.class,
      StreamsCommand.class,
      NativeCommand.class,
      SafepointsCommand.class,
      OutputCommand.class,
      ServerCommand.class,
      CeilingCommand.class,
      ReportCommand.class,
      PressureCommand.class,
      ChildJvm.Child.class
    })
public final class Main {
  /** Held, or the log manager would forget them, and their levels with them. */
  private static final Logger LUCENE = Logger.getLogger("org.apache.lucene");

  private static final Logger OURS = Logger.getLogger("dev.pread");

  private static final Logger VECTORS =
      Logger.getLogger("org.apache.lucene.internal.vectorization");

  /** Runs the command line and ends the process with its exit code. */
  public static void main(String[] args) {
    LUCENE.setLevel(Level.WARNING);
    OURS.setLevel(Level.WARNING); // The report has what they would say.
    VECTORS.setLevel(Level.SEVERE); // The report says whether the vector module is on.
    System.exit(commandLine().execute(args));
  }

  /** Hands all its arguments, options included, to JMH; {@code jmh --help} is JMH's own help. */
  @Command(
      name = "jmh",
      description = "Runs the JMH benchmarks; takes JMH's arguments (--help lists them).")
  int jmh(@Parameters(hidden = true, arity = "0..*") List<String> arguments) throws Exception {
    List<String> words = new ArrayList<>(arguments == null ? List.of() : arguments);
    words.replaceAll(word -> word.equals("--help") ? "-h" : word);
    org.openjdk.jmh.Main.main(words.toArray(new String[0]));
    return ExitCode.OK;
  }

  /** Returns the configured command line, which ends no process: tests execute it too. */
  static CommandLine commandLine() {
    CommandLine line =
        new CommandLine(new Main())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpWidth(100)
            .registerConverter(Long.class, new ByteSize()) // Options of type long are no sizes.
            .registerConverter(int.class, Main::positive)
            .registerConverter(Integer.class, Main::positive)
            .registerConverter(double.class, Main::notNegative)
            .registerConverter(Double.class, Main::notNegative)
            .setParameterExceptionHandler(Main::reportUsage)
            .setExecutionExceptionHandler(Main::reportFailure);
    Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>(line.getHelpSectionMap());
    sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, Main::method);
    line.setHelpSectionMap(sections);
    line.setResourceBundle(
        ResourceBundle.getBundle("dev.pread.benchmarks.help.options", Locale.ROOT));
    for (String unlimited : "ceiling compare native output safepoints streams".split(" ", -1)) {
      without(line, unlimited, "--memory");
    }
    without(line, "compare", "--read-ahead");
    line.getSubcommands().get("jmh").setUnmatchedOptionsArePositionalParams(true);
    return line;
  }

  private static int positive(String text) {
    int value = Integer.parseInt(text);
    if (value < 1) {
      throw new TypeConversionException("'" + text + "' is not greater than 0");
    }
    return value;
  }

  private static double notNegative(String text) {
    double value = Double.parseDouble(text);
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new TypeConversionException("'" + text + "' is not 0 or more");
    }
    return value;
  }

  /** Takes away an option that has no effect on a command. */
  private static void without(CommandLine line, String command, String option) {
    CommandSpec spec = line.getSubcommands().get(command).getCommandSpec();
    spec.remove(spec.findOption(option));
  }

  /** Returns how a command measures, which is the end of its help. */
  private static String method(Help help) {
    String name = "help/" + help.commandSpec().name() + ".txt";
    try (InputStream text = Main.class.getResourceAsStream(name)) {
      return text == null ? "" : "\n" + new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int reportUsage(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(UserError.oneLine(e.getMessage()) + " (see " + name + " --help)");
    return ExitCode.USAGE;
  }

  private static int reportFailure(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    if (e instanceof UserError) {
      err.println(command.getCommandName() + ": " + e.getMessage());
      return ExitCode.USAGE;
    }
    if (e instanceof WrongResult) {
      err.println("WRONG: " + e.getMessage());
      if (e.getCause() != null) {
        e.getCause().printStackTrace(err);
      }
      return ExitCode.WRONG;
    }
    e.printStackTrace(err);
    return ExitCode.DEFECT;
  }
}
