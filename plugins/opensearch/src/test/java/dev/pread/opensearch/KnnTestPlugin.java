/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.util.List;
import java.util.Map;
import org.opensearch.index.mapper.Mapper;
import org.opensearch.plugins.MapperPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.SearchPlugin;

/**
 * Lucene's vectors in a server: those of OpenSearch itself come from a plugin that is in no
 * repository. It has the field type {@code test_vector} and the query {@code test_knn}.
 */
public final class KnnTestPlugin extends Plugin implements MapperPlugin, SearchPlugin {

  @Override
  public Map<String, Mapper.TypeParser> getMappers() {
    return Map.of(VectorFieldMapper.TYPE, VectorFieldMapper.PARSER);
  }

  @Override
  public List<QuerySpec<?>> getQueries() {
    return List.of(
        new QuerySpec<>(KnnQueryBuilder.NAME, KnnQueryBuilder::new, KnnQueryBuilder::fromXContent));
  }
}
