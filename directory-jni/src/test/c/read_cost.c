/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the second copy of a read costs where there is no JVM: a file in memory, read in a row by pread alone and by
 * pread with a copy behind it, in turns. Its figures are in docs/decisions/0005-arrays-without-waiting.md.
 *
 *   cc -O2 -o read_cost directory-jni/src/test/c/read_cost.c && ./read_cost FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9, PASSES = 3 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* MB/s of one pass over the file; with a copy to where there is one. */
static double pass(int fd, off_t length, char *to, char *copy, size_t bytes) {
  double start = seconds();
  for (int i = 0; i < PASSES; i++) {
    for (off_t at = 0; at + (off_t)bytes <= length; at += (off_t)bytes) {
      if (pread(fd, to, bytes, at) != (ssize_t)bytes) {
        perror("pread");
        exit(1);
      }
      if (copy != NULL) {
        memcpy(copy, to, bytes);
        __asm__ volatile("" : : "r"(copy) : "memory"); /* or the compiler might leave it out */
      }
    }
  }
  return PASSES * (double)length / (seconds() - start) / 1e6;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const size_t sizes[] = {8 << 10, 128 << 10, 1 << 20};
  struct stat file;
  if (argc != 2) {
    fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &file) != 0 || file.st_size < (1 << 20)) {
    fprintf(stderr, "%s: %s\n", argv[1], errno != 0 ? strerror(errno) : "shorter than 1 MiB");
    return 2;
  }
  char *to = aligned_alloc(4096, 1 << 20);
  char *copy = aligned_alloc(4096, 1 << 20);
  if (to == NULL || copy == NULL) {
    fprintf(stderr, "no memory\n");
    return 1;
  }
  printf("%10s %12s %12s %6s\n", "bytes", "pread MB/s", "+ copy MB/s", "ratio");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    double alone[ROUNDS];
    double copied[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { /* the first one brings the file into memory */
      double a = pass(fd, file.st_size, to, NULL, sizes[i]);
      double b = pass(fd, file.st_size, to, copy, sizes[i]);
      if (round >= 0) {
        alone[round] = a;
        copied[round] = b;
      }
    }
    qsort(alone, ROUNDS, sizeof *alone, ascending);
    qsort(copied, ROUNDS, sizeof *copied, ascending);
    printf("%10zu %12.0f %12.0f %6.2f\n", sizes[i], alone[ROUNDS / 2], copied[ROUNDS / 2],
           alone[ROUNDS / 2] / copied[ROUNDS / 2]);
  }
  free(to);
  free(copy);
  close(fd);
  return 0;
}
