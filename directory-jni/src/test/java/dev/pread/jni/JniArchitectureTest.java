/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** A backend sees the seam and the JDK, and neither Lucene nor the layers above the seam. */
@AnalyzeClasses(
    packages = "dev.pread.jni",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
final class JniArchitectureTest {

  private JniArchitectureTest() {}

  @ArchTest
  static final ArchRule callsSeeOnlyTheSeam =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "dev.pread.jni..", "dev.pread.posix..");
}
