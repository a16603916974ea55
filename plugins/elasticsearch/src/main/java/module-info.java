/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The plugin as the server loads it: a named module, so that its entitlements are granted module by
 * module and native access needs no flag of the JVM. The backends are services that {@code
 * dev.pread} uses, so that the server resolves their modules with it.
 */
module dev.pread.elasticsearch {
  requires dev.pread;
  requires dev.pread.plugin;
  requires org.apache.logging.log4j;
  requires org.apache.lucene.core;
  requires org.elasticsearch.base;
  requires org.elasticsearch.server;
  requires org.elasticsearch.xcontent;

  // The server makes the transport action by its public constructor.
  exports dev.pread.elasticsearch to
      org.elasticsearch.server;
}
