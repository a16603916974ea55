/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What not to do: a read that waits for the disk while the collector waits for it. Measured beside
 * what directory-jni does, to show why it does not do this.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <jni.h>
#include <unistd.h>

JNIEXPORT jlong JNICALL Java_dev_pread_benchmarks_files_NaiveJni_read(JNIEnv *env,
                                                                     jclass type
                                                                     __attribute__((unused)),
                                                                     jint fd, jbyteArray array,
                                                                     jlong position) {
  jsize length = (*env)->GetArrayLength(env, array);
  jbyte *bytes = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
  if (bytes == NULL) {
    return -ENOMEM;
  }
  ssize_t n = pread(fd, bytes, (size_t)length, position);
  int error = errno;
  (*env)->ReleasePrimitiveArrayCritical(env, array, bytes, n > 0 ? 0 : JNI_ABORT);
  return n >= 0 ? n : -error;
}
