/* SPDX-License-Identifier: Apache-2.0 */

/* Loads the library that is named and prints its version; -1 if it can't be loaded. */
#include <dlfcn.h>
#include <stdio.h>

typedef int version(void *env, void *type);

int main(int count, char **words) {
  void *library = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
  void *symbol = library ? dlsym(library, "Java_dev_pread_jni_LinuxCalls_version") : NULL;
  printf("%d\n", symbol ? ((version *)symbol)(NULL, NULL) : -1);
  return 0;
}
