/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Path;

/** The versions of the server that there are to test with. */
enum ServerVersion {
  /** The last of those with Lucene 9, which has a plugin of its own and a security manager. */
  LUCENE9("2.19.6", "test.plugin2", "jni"),

  /** The oldest that the plugin can be installed in. */
  OLDEST("3.3.0", "test.plugin", "ffm"),

  /** One with a Lucene of the oldest's minor version. */
  SECOND("3.4.0", "test.plugin", "ffm"),

  /** One with a Lucene between those of the oldest and the newest. */
  MIDDLE("3.6.0", "test.plugin", "ffm"),

  /** The last but one, whose security agent is its own. */
  PREVIOUS("3.8.0", "test.plugin", "ffm"),

  /** The one that the plugin is compiled with. */
  NEWEST("3.9.0", "test.plugin", "ffm");

  private final String number;
  private final String zip;
  private final String backend;

  /**
   * @param zip the property that has the plugin as users get it
   * @param backend the best there is on its Java
   */
  ServerVersion(String number, String zip, String backend) {
    this.number = number;
    this.zip = zip;
    this.backend = backend;
  }

  String backend() {
    return backend;
  }

  Path zip() {
    return Path.of(System.getProperty(zip));
  }

  Path jars() {
    return Path.of(System.getProperty("test.servers"), number, "target", "jars");
  }

  /** Returns the home of the Java that it runs on; where there is none, the test is skipped. */
  Path java() {
    if (this != LUCENE9) {
      return Path.of(System.getProperty("java.home"));
    }
    String home = System.getProperty("test.java21", "");
    assumeFalse(home.isBlank(), "OpenSearch " + number + " needs -Djava21.home=DIR, a Java 21");
    return Path.of(home);
  }

  @Override
  public String toString() {
    return number;
  }
}
