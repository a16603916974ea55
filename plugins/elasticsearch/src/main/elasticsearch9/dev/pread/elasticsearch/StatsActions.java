/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.Collection;
import java.util.List;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;

/** How this generation of the server is told of what collects the statistics. */
abstract class StatsActions extends Plugin implements ActionPlugin {

  @Override
  public final Collection<ActionHandler> getActions() {
    return List.of(new ActionHandler(StatsAction.TYPE, TransportStatsAction.class));
  }
}
