/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import picocli.CommandLine.IVersionProvider;

/** Tells the version in the jar's manifest; class files outside a jar have none. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"lucene-pread benchmarks " + current()};
  }

  /** Returns the version and the commit it was built from. */
  public static String withCommit() {
    String commit = Version.class.getPackage().getSpecificationVersion();
    return commit == null || commit.isBlank() || commit.startsWith("$")
        ? current()
        : current() + " (" + commit + ")";
  }

  private static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
