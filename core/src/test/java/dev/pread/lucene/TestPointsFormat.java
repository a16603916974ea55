/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import org.apache.lucene.codecs.Codec;
import org.apache.lucene.tests.index.BasePointsFormatTestCase;
import org.apache.lucene.tests.util.TestUtil;
import org.junit.Rule;

/** {@link BasePointsFormatTestCase} on our directory. */
public class TestPointsFormat extends BasePointsFormatTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Codec getCodec() {
    return TestUtil.getDefaultCodec();
  }
}
