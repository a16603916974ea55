/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.child.JavaOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All that is to be measured. Unmodifiable.
 *
 * @param axes of the grid
 * @param contenders of each regime, in the order of the first round
 * @param times of a fork
 * @param javaOptions by strategy
 */
record Plan(
    Axes axes, Map<Regime, List<Strategy>> contenders, Times times, JavaOptions javaOptions) {

  /** What the cells of the grid differ by, besides the strategy. */
  record Axes(
      List<Regime> regimes, List<Order> orders, List<Integer> bytes, List<Integer> threads) {}

  /**
   * How long.
   *
   * @param warmups iterations that do not count, half as long as the others
   * @param iterations that count
   * @param seconds of each
   * @param coldSeconds of each with a cold file
   * @param checkSeconds before them
   */
  record Times(
      int warmups, int iterations, double seconds, double coldSeconds, double checkSeconds) {}

  /** The conditions of a cell. */
  record Point(Regime regime, Order order, int bytes, int threads) {

    /** As reports have them. */
    Map<String, String> conditions() {
      Map<String, String> conditions = new LinkedHashMap<>();
      conditions.put("regime", regime.label());
      conditions.put("order", order.label());
      conditions.put("bytes", Integer.toString(bytes));
      conditions.put("threads", Integer.toString(threads));
      return conditions;
    }

    @Override
    public String toString() {
      return regime.label()
          + ", "
          + order.label()
          + ", "
          + bytes
          + " bytes, "
          + threads
          + " threads";
    }
  }

  /** One fork of JMH: what a strategy does at a point in a round. */
  record Turn(int round, Point point, Strategy strategy) {
    @Override
    public String toString() {
      return strategy.label() + " (" + point + ")";
    }
  }

  /** Who takes part in a quick run where the file does not fit. */
  private static final Map<Regime, List<Strategy>> SOME =
      Map.of(
          Regime.LIMIT,
          List.of(Strategy.MMAP, Strategy.NIOFS, Strategy.PREAD, Strategy.DIRECT),
          Regime.EXCEEDS,
          List.of(
              Strategy.MMAP,
              Strategy.MMAP_SEGMENT_RANDOM_PREFETCH,
              Strategy.FFM_PREAD,
              Strategy.PREAD_PREFETCH,
              Strategy.DIRECT,
              Strategy.DIRECT_PREFETCH),
          Regime.COLD,
          List.of(Strategy.MMAP, Strategy.PREAD, Strategy.DIRECT));

  /**
   * Who takes part.
   *
   * @param named by the user; null for the default
   */
  static Map<Regime, List<Strategy>> contenders(List<Strategy> named, boolean quick) {
    Map<Regime, List<Strategy>> contenders = new EnumMap<>(Regime.class);
    for (Regime regime : Regime.values()) {
      List<Strategy> all = named != null ? named : List.of(Strategy.values());
      List<Strategy> wanted =
          named == null && quick && SOME.containsKey(regime) ? SOME.get(regime) : all;
      contenders.put(
          regime, wanted.stream().filter(strategy -> strategy.takesPartIn(regime)).toList());
    }
    return Collections.unmodifiableMap(contenders);
  }

  /**
   * All forks: in each round the contenders of one point run one after the other, in an order that
   * turns from point to point and from round to round.
   *
   * @param left out: neither of these regimes
   * @param refused nor these strategies
   */
  List<Turn> turns(int rounds, List<Regime> left, List<Strategy> refused) {
    List<Turn> turns = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      int first = round;
      for (Point point : points(left)) {
        List<Strategy> turning = new ArrayList<>(contenders.get(point.regime()));
        turning.removeAll(refused);
        Collections.rotate(turning, -first++);
        for (Strategy strategy : turning) {
          turns.add(new Turn(round, point, strategy));
        }
      }
    }
    return turns;
  }

  private List<Point> points(List<Regime> left) {
    List<Point> points = new ArrayList<>();
    for (Regime regime : axes.regimes()) {
      if (left.contains(regime)) {
        continue;
      }
      for (Order order : regime == Regime.COLD ? List.of(Order.RANDOM) : axes.orders()) {
        for (int bytes : axes.bytes()) {
          for (int threads : axes.threads()) {
            points.add(new Point(regime, order, bytes, threads));
          }
        }
      }
    }
    return points;
  }

  /** For messages, without a useless fraction. */
  static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : Double.toString(value);
  }

  /** For the report. */
  Map<String, Object> describe() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("regimes", axes.regimes().stream().map(Regime::label).toList());
    settings.put("orders", axes.orders().stream().map(Order::label).toList());
    settings.put("bytes", axes.bytes());
    settings.put("threads", axes.threads());
    settings.put("readsPerOperation", Kernel.READS);
    settings.put("warmupIterations", times.warmups());
    settings.put("warmupSeconds", times.seconds() / 2);
    settings.put("iterations", times.iterations());
    settings.put("iterationSeconds", times.seconds());
    settings.put("coldSeconds", times.coldSeconds());
    settings.put("checkSeconds", times.checkSeconds());
    settings.put("javaOptions", javaOptions.all());
    return settings;
  }
}
