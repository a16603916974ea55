/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.pread.cache.Guard;
import dev.pread.posix.BriefLock;
import dev.pread.posix.Errno;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.IoVector;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.NoNativeMemoryError;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PlatformThreads;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.QuietLog;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.SystemCalls;
import dev.pread.posix.VectorPool;
import java.util.List;

/**
 * Imports run one way: what users touch, then Lucene's adapters, then readers, then the operating
 * system seam. Nobody looks up.
 */
@AnalyzeClasses(packages = "dev.pread", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule posixSeesOnlyTheJdk =
      classes()
          .that()
          .resideInAPackage("dev.pread.posix..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "dev.pread.posix..");

  @ArchTest
  static final ArchRule cacheSeesTheJdkAndHowAFileIsRead =
      classes()
          .that()
          .resideInAPackage("dev.pread.cache..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage("java..", "jdk.jfr..", "dev.pread.cache..")
                  .or(
                      belongToAnyOf(
                          BriefLock.class,
                          ReadableFile.class,
                          FileClosedException.class,
                          ReadTarget.class,
                          IoVector.class,
                          NoNativeMemoryError.class,
                          QuietLog.class,
                          VectorPool.class,
                          ReadQueue.class,
                          PlatformThreads.class,
                          QueuedRead.class)));

  @ArchTest
  static final ArchRule storeSeesNeitherTheDirectoriesNorTheGovernor =
      noClasses()
          .that()
          .resideInAPackage("dev.pread.store..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.pread", "dev.pread.memory..", "dev.pread.warm..");

  @ArchTest
  static final ArchRule memorySeesTheJdkTheCacheAndHowTheKernelIsAsked =
      classes()
          .that()
          .resideInAPackage("dev.pread.memory..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage("java..", "dev.pread.memory..", "dev.pread.cache..")
                  .or(
                      belongToAnyOf(
                          SystemCalls.class,
                          NativeBuffer.class,
                          OpenMode.class,
                          Errno.class,
                          QuietLog.class)));

  @ArchTest
  static final ArchRule warmSeesTheJdkTheCacheAndHowFilesAreOpened =
      classes()
          .that()
          .resideInAPackage("dev.pread.warm..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..", "dev.pread.warm..", "dev.pread.cache..", "dev.pread.posix..");

  @ArchTest
  static final ArchRule nobodyButLucene =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..", "javax.management..", "jdk.jfr..", "dev.pread..", "org.apache.lucene..");

  /**
   * What is read under a version is right only if it is read before the version is looked at again,
   * which nothing but this fence promises, and which most tests can't see on x86-64.
   */
  @ArchTest
  static final ArchRule nothingComesBetweenTheFenceAndTheLookAtTheVersion =
      methods()
          .that(DescribedPredicate.describe("look at a version", m -> !looks(m).isEmpty()))
          .should(
              new ArchCondition<>("call loadLoadFence on the line before") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                  for (JavaMethodCall look : looks(method)) {
                    boolean isFenced =
                        method.getMethodCallsFromSelf().stream()
                            .filter(c -> c.getTarget().getName().equals("loadLoadFence"))
                            .anyMatch(c -> c.getLineNumber() == look.getLineNumber() - 1);
                    events.add(new SimpleConditionEvent(look, isFenced, look.getDescription()));
                  }
                }
              });

  private static List<JavaMethodCall> looks(JavaMethod method) {
    return method.getMethodCallsFromSelf().stream()
        .filter(c -> c.getTargetOwner().isAssignableTo(Guard.class))
        .filter(c -> c.getTarget().getName().equals("is"))
        .filter(c -> c.getTarget().getRawParameterTypes().get(0).isEquivalentTo(long.class))
        .toList();
  }

  @ArchTest
  static final ArchRule noCycles = slices().matching("dev.pread.(*)..").should().beFreeOfCycles();
}
