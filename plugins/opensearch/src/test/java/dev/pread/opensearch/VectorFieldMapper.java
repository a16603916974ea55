/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.Query;
import org.opensearch.index.mapper.MappedFieldType;
import org.opensearch.index.mapper.ParametrizedFieldMapper;
import org.opensearch.index.mapper.ParseContext;
import org.opensearch.index.mapper.SourceValueFetcher;
import org.opensearch.index.mapper.TextSearchInfo;
import org.opensearch.index.mapper.ValueFetcher;
import org.opensearch.index.query.QueryShardContext;
import org.opensearch.search.lookup.SearchLookup;

/** A field with a vector per document, in Lucene's own format. */
final class VectorFieldMapper extends ParametrizedFieldMapper {

  static final String TYPE = "test_vector";

  static final TypeParser PARSER = new TypeParser((name, context) -> new Builder(name));

  private VectorFieldMapper(
      String name, MappedFieldType type, MultiFields multiFields, CopyTo copyTo) {
    super(name, type, multiFields, copyTo);
  }

  @Override
  public boolean parsesArrayValue() {
    return true;
  }

  @Override
  protected void parseCreateField(ParseContext context) throws IOException {
    List<Object> numbers = context.parser().list();
    context
        .doc()
        .add(
            new KnnFloatVectorField(
                fieldType().name(), floats(numbers), VectorSimilarityFunction.EUCLIDEAN));
  }

  static float[] floats(List<Object> numbers) {
    float[] vector = new float[numbers.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = ((Number) numbers.get(i)).floatValue();
    }
    return vector;
  }

  @Override
  public ParametrizedFieldMapper.Builder getMergeBuilder() {
    return new Builder(simpleName()).init(this);
  }

  @Override
  protected String contentType() {
    return TYPE;
  }

  private static final class Builder extends ParametrizedFieldMapper.Builder {

    Builder(String name) {
      super(name);
    }

    @Override
    protected List<Parameter<?>> getParameters() {
      return List.of();
    }

    @Override
    public VectorFieldMapper build(BuilderContext context) {
      return new VectorFieldMapper(
          name,
          new VectorFieldType(buildFullName(context)),
          multiFieldsBuilder.build(this, context),
          copyTo.build());
    }
  }

  private static final class VectorFieldType extends MappedFieldType {

    VectorFieldType(String name) {
      super(name, false, false, false, TextSearchInfo.NONE, Map.of());
    }

    @Override
    public String typeName() {
      return TYPE;
    }

    @Override
    public ValueFetcher valueFetcher(
        QueryShardContext context, SearchLookup searchLookup, String format) {
      return SourceValueFetcher.identity(name(), context, format);
    }

    @Override
    public Query termQuery(Object value, QueryShardContext context) {
      throw new UnsupportedOperationException("a vector has no terms");
    }
  }
}
