/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Imports run one way: parts of the suite, their frame, the index, the results, and last the
 * machine, which all others use.
 */
@AnalyzeClasses(
    packages = "dev.pread.benchmarks",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  private static final String ROOT = "dev.pread.benchmarks";

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule noCycles = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

  /** The slices above leave out the commands of the root package, which uses all others. */
  @ArchTest
  static final ArchRule nothingDependsOnTheRootPackage =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT);
}
