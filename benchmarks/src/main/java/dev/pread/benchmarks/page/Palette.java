/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How each contender looks, the same over a whole page: ours strong, others quiet, ceilings dashed
 * and grey. Colours repeat when they run out; then dashes and markers differ. Unmodifiable.
 */
final class Palette {
  /** Told apart with the common kinds of colour blindness too; after Okabe and Ito. */
  private static final List<String> OURS =
      List.of("#0060ad", "#c4006e", "#00795b", "#6b3fa0", "#8c5a00");

  private static final List<String> OTHERS =
      List.of(
          "#d98a4b", "#7d8f9b", "#b3a24c", "#9b7fb8", "#6fa88b", "#c48b9f", "#8a7a66", "#79a7c9");

  private static final List<String> CEILINGS = List.of("#8a8a8a", "#b0b0b0", "#6f6f6f");

  private static final List<List<Float>> OTHER_DASHES =
      List.of(List.of(), List.of(6f, 3f), List.of(2f, 2.5f));

  private static final List<List<Float>> CEILING_DASHES =
      List.of(List.of(7f, 4f), List.of(3f, 3f), List.of(10f, 3f, 2f, 3f));

  private final Map<Contender, Look> looks = new LinkedHashMap<>();

  /** Shapes of markers. */
  enum Marker {
    NONE,
    CIRCLE,
    SQUARE,
    DIAMOND,
    TRIANGLE_UP,
    TRIANGLE_DOWN,
    CROSS
  }

  /**
   * How a contender looks.
   *
   * @param color as {@code #rrggbb}
   * @param width of its line
   * @param dashes of its line; none for a continuous one
   * @param marker of its figures
   */
  record Look(String color, float width, List<Float> dashes, Marker marker) {

    Look with(Marker other) {
      return new Look(color, width, dashes, other);
    }
  }

  private Palette() {}

  /** For all contenders of some benchmarks. */
  static Palette of(List<Sheet> sheets) {
    Palette palette = new Palette();
    Map<Contender.Role, Integer> used = new EnumMap<>(Contender.Role.class);
    for (Sheet sheet : sheets) {
      for (Contender contender : sheet.contenders()) {
        if (!palette.looks.containsKey(contender)) {
          int index = used.merge(contender.role(), 1, Integer::sum) - 1;
          palette.looks.put(contender, look(contender.role(), index));
        }
      }
    }
    return palette;
  }

  private static Look look(Contender.Role role, int index) {
    return switch (role) {
      case OURS ->
          new Look(
              pick(OURS, index),
              2.8f,
              index < OURS.size() ? List.of() : List.of(8f, 3f),
              index % 2 == 0 ? Marker.CIRCLE : Marker.DIAMOND);
      case OTHER ->
          new Look(
              pick(OTHERS, index),
              1.5f,
              pick(OTHER_DASHES, index / OTHERS.size()),
              OTHER_MARKERS.get(index % OTHER_MARKERS.size()));
      case CEILING ->
          new Look(pick(CEILINGS, index), 1.4f, pick(CEILING_DASHES, index), Marker.NONE);
    };
  }

  private static final List<Marker> OTHER_MARKERS =
      List.of(
          Marker.SQUARE, Marker.TRIANGLE_UP, Marker.CROSS, Marker.TRIANGLE_DOWN, Marker.DIAMOND);

  private static <T> T pick(List<T> list, int index) {
    return list.get(index % list.size());
  }

  Look look(Contender contender) {
    return looks.get(contender);
  }
}
