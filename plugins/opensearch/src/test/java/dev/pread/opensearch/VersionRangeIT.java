/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.Version;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.plugins.PluginsService;

/** Which servers take the zip, as OpenSearch decides it by the zip's descriptor. */
class VersionRangeIT {

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "2.19.6, false",
    "3.2.0, false",
    "3.3.0, true",
    "3.3.2, true",
    "3.6.0, true",
    "3.9.0, true",
    "3.9.4, true",
    "3.10.0, false",
    "4.0.0, false"
  })
  void isFromTheOldestToTheNewestThatWereTested(String version, boolean isTaken)
      throws IOException {
    String name = PluginInfo.OPENSEARCH_PLUGIN_PROPERTIES;
    try (ZipFile zip = new ZipFile(ServerVersion.NEWEST.zip().toFile());
        InputStream descriptor = zip.getInputStream(zip.getEntry(name))) {
      Files.copy(descriptor, folder.resolve(name));
    }
    PluginInfo plugin = PluginInfo.readFromProperties(folder);
    assertEquals(
        isTaken, PluginsService.isPluginVersionCompatible(plugin, Version.fromString(version)));
  }
}
