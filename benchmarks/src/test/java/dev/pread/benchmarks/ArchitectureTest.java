/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Imports run one way: parts of the suite, their frame, what shows results, the results. What
 * arranges the machine and makes the load knows nothing of what is measured.
 */
@AnalyzeClasses(
    packages = "dev.pread.benchmarks",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  private static final String ROOT = "dev.pread.benchmarks";

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule resultsKnowNobody =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".result")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(not(resideInAPackage(ROOT + ".result").or(type(UserError.class)))));

  @ArchTest
  static final ArchRule theMachineAndTheLoadKnowNotWhatIsMeasured =
      noClasses()
          .that()
          .resideInAnyPackage(ROOT + ".machine", ROOT + ".load")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT + ".suite..",
              ROOT + ".result..",
              ROOT + ".files..",
              ROOT + ".scenario..",
              ROOT + ".server..");

  @ArchTest
  static final ArchRule noCycles = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyMainKnowsItsCommands =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "..")
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(Main.class);
}
