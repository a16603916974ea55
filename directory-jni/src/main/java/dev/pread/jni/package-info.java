/* SPDX-License-Identifier: Apache-2.0 */

/**
 * The JNI backend, for Java 21 and later: system calls through a small C library that is in the
 * jar. Nothing here is for applications: having the artifact on the class path is all it takes.
 */
package dev.pread.jni;
