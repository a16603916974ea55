/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.CatColumn;
import java.util.List;
import org.opensearch.common.Table;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.cat.RestTable;

/** {@code GET /_cat/pread}: the same figures as text, a line per node. */
final class RestCatAction extends StatsHandler.OfTable {

  @Override
  public String getName() {
    return "cat_pread_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, "/_cat/pread"),
        new Route(RestRequest.Method.GET, "/_cat/pread/{nodeId}"));
  }

  @Override
  protected void documentation(StringBuilder text) {
    text.append("/_cat/pread\n").append("/_cat/pread/{nodeId}\n");
  }

  @Override
  RestChannelConsumer answer(RestRequest request, Nodes nodes) {
    StatsAction.Request stats = RestStatsAction.request(request);
    return channel ->
        nodes.ask(
            stats,
            new RestResponseListener<StatsAction.Response>(channel) {
              @Override
              public RestResponse buildResponse(StatsAction.Response response) throws Exception {
                return RestTable.buildResponse(table(request, response), channel);
              }
            });
  }

  @Override
  protected Table getTableWithHeader(RestRequest request) {
    Table table = new Table().startHeaders();
    table.addCell("id", CatColumn.ID).addCell("name", CatColumn.NAME);
    for (CatColumn column : CatColumn.ALL) {
      table.addCell(column.name(), column.attributes());
    }
    return table.endHeaders();
  }

  private Table table(RestRequest request, StatsAction.Response response) {
    Table table = getTableWithHeader(request);
    for (NodeFigures node : response.getNodes()) {
      table.startRow().addCell(node.getNode().getId()).addCell(node.getNode().getName());
      for (CatColumn column : CatColumn.ALL) {
        table.addCell(column.value(node.stats(), ByteSizeValue::new));
      }
      table.endRow();
    }
    return table;
  }
}
