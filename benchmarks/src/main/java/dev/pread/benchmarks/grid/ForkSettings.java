/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What a fork is told besides the coordinates of its cell, as JSON in one parameter of JMH.
 *
 * @param regime of the file
 * @param codeFile another, small file, to compile the code by before a cold one is read
 * @param seed of the positions
 * @param checkSeconds for which every byte is checked before anything is measured
 * @param log that gets a line for each iteration
 * @param child whether to end when the standard input does, hence with the parent
 */
record ForkSettings(
    Regime regime, String codeFile, long seed, double checkSeconds, String log, boolean child) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static ForkSettings parse(String json) {
    try {
      return JSON.readValue(json, ForkSettings.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no settings of the grid: " + json, e);
    }
  }

  String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
