/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs a command under a seccomp filter that fails system calls, as the sandbox of a container does:
 *
 *   deny CALL=ERRNO... -- COMMAND ARGUMENT...
 *
 * with calls and errors by number. CALL:BITS fails the call only where its fourth argument has one of
 * these bits: the mask of statx, by which a JVM's own calls are told from others.
 *
 * That the filter is in force is tried before the command runs: a test under a filter that lets
 * everything through would prove nothing.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_RULES = 100, INSTRUCTIONS_PER_RULE = 5, FAILED = 78 };

struct rule {
  unsigned call, bits, error;
};

#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP(test, value, yes, no) (struct sock_filter) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, yes, no)
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, value)

static int fail(const char *what) {
  fprintf(stderr, "deny: %s: %s\n", what, strerror(errno));
  return FAILED;
}

static void parse(const char *text, struct rule *rule) {
  rule->bits = 0;
  if (sscanf(text, "%u=%u", &rule->call, &rule->error) != 2 &&
      sscanf(text, "%u:%u=%u", &rule->call, &rule->bits, &rule->error) != 3) {
    errno = EINVAL;
    exit(fail(text));
  }
}

/* The filter ends in what is said of calls without a rule. It does not look at the processor's mode,
 * as one that is meant to keep somebody out would have to. */
static int install(const struct rule *rules, int count) {
  struct sock_filter filter[MOST_RULES * INSTRUCTIONS_PER_RULE + 2];
  unsigned short length = 0;
  filter[length++] = LOAD(nr);
  for (const struct rule *rule = rules; rule < rules + count; rule++) {
    filter[length++] = JUMP(BPF_JEQ, rule->call, 0, rule->bits ? 4 : 1);
    if (rule->bits) {
      filter[length++] = LOAD(args[3]);
      filter[length++] = JUMP(BPF_JSET, rule->bits, 1, 0);
      filter[length++] = RETURN(SECCOMP_RET_ALLOW);
    }
    filter[length++] = RETURN(SECCOMP_RET_ERRNO | rule->error);
  }
  filter[length++] = RETURN(SECCOMP_RET_ALLOW);
  struct sock_fprog program = {.len = length, .filter = filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int argc, char **argv) {
  struct rule rules[MOST_RULES];
  int count = 0;
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--") != 0 && count < MOST_RULES; at++) {
    parse(argv[at], &rules[count++]);
  }
  if (at + 1 >= argc || strcmp(argv[at], "--") != 0) {
    fprintf(stderr, "usage: deny CALL=ERRNO... -- COMMAND ARGUMENT...\n");
    return FAILED;
  }
  if (install(rules, count)) {
    return fail("seccomp");
  }
  for (const struct rule *rule = rules; rule < rules + count; rule++) {
    errno = 0;
    if (syscall(rule->call, -1L, 0L, 0L, (long)rule->bits, 0L, 0L) != -1 ||
        errno != (int)rule->error) {
      fprintf(stderr, "deny: call %u is not failed with %u\n", rule->call, rule->error);
      return FAILED;
    }
  }
  execvp(argv[at + 1], argv + at + 1);
  return fail(argv[at + 1]);
}
