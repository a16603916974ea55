/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeStats;
import java.io.IOException;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.core.xcontent.XContentBuilder;

/** Writes the figures of a node as JSON, or what else the server writes. */
record StatsXContent(XContentBuilder builder) implements NodeStats.Visitor {

  @Override
  public void start(String name) throws IOException {
    builder.startObject(name);
  }

  @Override
  public void end() throws IOException {
    builder.endObject();
  }

  @Override
  public void field(String name, Object value) throws IOException {
    builder.field(name, value);
  }

  @Override
  public void bytes(String name, long value) throws IOException {
    builder.humanReadableField(name + "_in_bytes", name, new ByteSizeValue(value));
  }
}
