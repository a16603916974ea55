/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import org.opensearch.core.action.ActionListener;

/** The nodes of a cluster, to which a request goes. */
@FunctionalInterface
interface Nodes {

  /**
   * Asks those that a request names, and returns at once.
   *
   * @param answered is told what they say
   */
  void ask(StatsAction.Request request, ActionListener<StatsAction.Response> answered);
}
