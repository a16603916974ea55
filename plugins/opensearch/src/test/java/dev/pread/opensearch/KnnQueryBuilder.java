/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.index.query.AbstractQueryBuilder;
import org.opensearch.index.query.QueryShardContext;

/** The nearest neighbours of a vector: {@code {"test_knn": {"field": F, "vector": [], "k": K}}}. */
final class KnnQueryBuilder extends AbstractQueryBuilder<KnnQueryBuilder> {

  static final String NAME = "test_knn";

  private final String field;
  private final float[] vector;
  private final int k;

  private KnnQueryBuilder(String field, float[] vector, int k) {
    this.field = field;
    this.vector = vector;
    this.k = k;
  }

  KnnQueryBuilder(StreamInput in) throws IOException {
    super(in);
    this.field = in.readString();
    this.vector = in.readFloatArray();
    this.k = in.readVInt();
  }

  static KnnQueryBuilder fromXContent(XContentParser parser) throws IOException {
    Map<String, Object> body = parser.map();
    @SuppressWarnings("unchecked")
    List<Object> numbers = (List<Object>) body.get("vector");
    return new KnnQueryBuilder(
        (String) body.get("field"),
        VectorFieldMapper.floats(numbers),
        ((Number) body.get("k")).intValue());
  }

  @Override
  protected void doWriteTo(StreamOutput out) throws IOException {
    out.writeString(field);
    out.writeFloatArray(vector);
    out.writeVInt(k);
  }

  @Override
  protected void doXContent(XContentBuilder builder, Params params) throws IOException {
    builder.startObject(NAME).field("field", field).array("vector", vector).field("k", k);
    builder.endObject();
  }

  @Override
  protected Query doToQuery(QueryShardContext context) {
    return new KnnFloatVectorQuery(field, vector, k);
  }

  @Override
  protected boolean doEquals(KnnQueryBuilder other) {
    return field.equals(other.field) && Arrays.equals(vector, other.vector) && k == other.k;
  }

  @Override
  protected int doHashCode() {
    return Arrays.hashCode(vector) + k;
  }

  @Override
  public String getWriteableName() {
    return NAME;
  }
}
