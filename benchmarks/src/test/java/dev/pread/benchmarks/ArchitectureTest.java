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
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.machine.UserError;

/**
 * Imports run one way: parts of the suite, their frame, the index, the results. What arranges the
 * machine and makes the load knows nothing of what is measured.
 */
@AnalyzeClasses(
    packages = "dev.pread.benchmarks",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  private static final String ROOT = "dev.pread.benchmarks";

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule resultsKnowNotHowTheyWereTaken =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".report")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(not(resideInAPackage(ROOT + ".report")))
                  .and(not(type(UserError.class)))
                  .and(not(type(ByteSize.class)))
                  .and(not(type(ProcessFigures.class))));

  @ArchTest
  static final ArchRule theMachineKnowsNotWhatIsMeasured =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".machine")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".machine"))));

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
