/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * A plugin is a user of this library: it sees what every user sees, and so does what the plugins
 * share.
 */
@AnalyzeClasses(
    packages = {"dev.pread.opensearch", "dev.pread.plugin"},
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule seesThePublicApiAlone =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.pread.posix..",
              "dev.pread.cache..",
              "dev.pread.memory..",
              "dev.pread.warm..",
              "dev.pread.store..",
              "dev.pread.ffi..",
              "dev.pread.jni..");
}
