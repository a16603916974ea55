/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import org.apache.lucene.codecs.Codec;
import org.apache.lucene.tests.index.BaseSegmentInfoFormatTestCase;
import org.apache.lucene.tests.util.TestUtil;
import org.apache.lucene.util.Version;
import org.junit.Rule;

/** {@link BaseSegmentInfoFormatTestCase} on our directory. */
public class TestSegmentInfoFormat extends BaseSegmentInfoFormatTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Codec getCodec() {
    return TestUtil.getDefaultCodec();
  }

  @Override
  protected Version[] getVersions() {
    return new Version[] {Version.LATEST};
  }
}
