/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * A backend sees the seam and the JDK, and neither Lucene nor the layers above the seam; apart from
 * it are the inputs that need a later Java than core has.
 */
@AnalyzeClasses(
    packages = "dev.pread.ffi",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
final class FfmArchitectureTest {

  /** The inputs, and what makes them. */
  private static final String INPUTS = ".*\\.(SegmentInput|AddressAccess).*";

  private FfmArchitectureTest() {}

  @ArchTest
  static final ArchRule callsSeeOnlyTheSeam =
      classes()
          .that()
          .haveNameNotMatching(INPUTS)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "dev.pread.ffi..", "dev.pread.posix..");

  @ArchTest
  static final ArchRule inputsSeeOnlyWhatInputsAreMadeOf =
      classes()
          .that()
          .haveNameMatching(INPUTS)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "dev.pread.ffi..",
              "dev.pread.store..",
              "dev.pread.cache..",
              "org.apache.lucene.store..");
}
