/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import org.apache.lucene.codecs.Codec;
import org.apache.lucene.tests.index.BaseKnnVectorsFormatTestCase;
import org.apache.lucene.tests.util.TestUtil;
import org.junit.Rule;

/** {@link BaseKnnVectorsFormatTestCase} on our directory. */
public class TestKnnVectorsFormat extends BaseKnnVectorsFormatTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Codec getCodec() {
    return TestUtil.getDefaultCodec();
  }

  // Versions of Lucene before 10.4 do not ask.
  @SuppressWarnings("MissingOverride")
  protected boolean supportsFloatVectorFallback() {
    return false;
  }
}
