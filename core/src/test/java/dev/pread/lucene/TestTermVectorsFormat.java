/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import org.apache.lucene.codecs.Codec;
import org.apache.lucene.tests.index.BaseTermVectorsFormatTestCase;
import org.apache.lucene.tests.util.TestUtil;
import org.junit.Rule;

/** {@link BaseTermVectorsFormatTestCase} on our directory. */
public class TestTermVectorsFormat extends BaseTermVectorsFormatTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Codec getCodec() {
    return TestUtil.getDefaultCodec();
  }
}
