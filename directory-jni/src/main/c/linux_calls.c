/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The native methods of dev.pread.jni.LinuxCalls: one function per system call, which makes the
 * call and returns its result, or the negated errno of this very call. There are no loops, no
 * retries, no state and no allocations: what to do about an answer is decided in Java.
 *
 * Calls that are newer than the systems this library has to run on (preadv2, statx) are made by
 * number, and so are those that libc has no functions for (io_setup and its like), and fstat, which
 * has no symbol in C libraries before glibc 2.33. So an old C
 * library does not keep the whole library from loading, and an old kernel answers ENOSYS.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x00002000U
#endif

_Static_assert(sizeof(off_t) == 8, "positions have 64 bits");
_Static_assert(sizeof(void *) == 8, "addresses have 64 bits");

/* What Java writes and reads: see AioLayout. */
_Static_assert(sizeof(struct iocb) == 64 && sizeof(struct io_event) == 32, "sizes");
_Static_assert(offsetof(struct iocb, aio_data) == 0 && offsetof(struct iocb, aio_lio_opcode) == 16 &&
                   offsetof(struct iocb, aio_fildes) == 20 && offsetof(struct iocb, aio_buf) == 24 &&
                   offsetof(struct iocb, aio_nbytes) == 32 && offsetof(struct iocb, aio_offset) == 40,
               "requests");
_Static_assert(offsetof(struct io_event, data) == 0 && offsetof(struct io_event, res) == 16, "events");
_Static_assert(IOCB_CMD_PREADV == 7 && sizeof(struct timespec) == 16, "values");

/* The numbers of Advice and of MappedMemory.MemoryAdvice. */
_Static_assert(POSIX_FADV_NORMAL == 0 && POSIX_FADV_RANDOM == 1 && POSIX_FADV_SEQUENTIAL == 2 &&
                   POSIX_FADV_WILLNEED == 3 && POSIX_FADV_DONTNEED == 4,
               "advice for files");
_Static_assert(MADV_DONTNEED == 4 && MADV_DONTFORK == 10 && MADV_HUGEPAGE == 14 &&
                   MADV_NOHUGEPAGE == 15 && MADV_POPULATE_WRITE == 23,
               "advice for memory");

/* This must be LinuxCalls.VERSION. It grows with every change of a signature or of its meaning. */
#define VERSION 8

#define CALL(type, name) JNIEXPORT type JNICALL Java_dev_pread_jni_LinuxCalls_##name
#define UNUSED __attribute__((unused))

/* LinuxCalls.open takes flags of its own, since those of the kernel differ by processor. */
enum { OPEN_WRITE = 1, OPEN_CREATE = 2, OPEN_DIRECT = 4 };

/* The kinds of file that LinuxCalls.fstat returns. */
enum { KIND_REGULAR = 0, KIND_DIRECTORY = 1, KIND_OTHER = 2 };

/*
 * Where statx(2) puts its answers about direct I/O, and the size of its struct. Headers older than
 * Linux 6.1 have no names for them.
 */
enum { ANSWER_SIZE = 256, ANSWER_MASK = 0, ANSWER_MEM_ALIGN = 152, ANSWER_OFFSET_ALIGN = 156 };

static jlong answer(jlong result) { return result >= 0 ? result : -(jlong)errno; }

static void *pointer(jlong address) { return (void *)(uintptr_t)address; }

CALL(jint, version)(JNIEnv *env UNUSED, jclass type UNUSED) { return VERSION; }

/* name: the bytes of the path, without a NUL. */
CALL(jint, open)(JNIEnv *env, jclass type UNUSED, jbyteArray name, jint how) {
  char path[PATH_MAX];
  jsize length = (*env)->GetArrayLength(env, name);
  if (length >= PATH_MAX) {
    return -ENAMETOOLONG;
  }
  (*env)->GetByteArrayRegion(env, name, 0, length, (jbyte *)path);
  path[length] = '\0';
  int flags = O_CLOEXEC;
  flags |= how & OPEN_WRITE ? O_WRONLY : O_RDONLY;
  flags |= how & OPEN_CREATE ? O_CREAT | O_EXCL : 0;
  flags |= how & OPEN_DIRECT ? O_DIRECT : 0;
  return (jint)answer(open(path, flags, 0666));
}

CALL(jint, close)(JNIEnv *env UNUSED, jclass type UNUSED, jint fd) {
  return (jint)answer(close(fd));
}

CALL(jlong, pread)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong address, jlong length, jlong position) {
  return answer(pread(fd, pointer(address), (size_t)length, position));
}

/* iovecs: the address of the first of count struct iovecs. */
CALL(jlong, preadv)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong iovecs, jint count, jlong position) {
  return answer(preadv(fd, pointer(iovecs), count, position));
}

static long pread_no_wait(int fd, void *to, jint length, jlong position) {
  struct iovec piece = {.iov_base = to, .iov_len = (size_t)length};
  /* The position takes two arguments; on 64-bit systems the kernel finds all of it in the first. */
  return syscall(SYS_preadv2, fd, &piece, 1L, position, 0L, RWF_NOWAIT);
}

CALL(jlong, preadNoWait)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong address, jint length, jlong position) {
  return answer(pread_no_wait(fd, pointer(address), length, position));
}

/*
 * This reads straight into the array. Between the two calls whose names end in Critical the garbage
 * collector waits, or leaves the array where it is, and nothing may block. The read with RWF_NOWAIT
 * does not wait for the disk, though newer kernels begin to read ahead what is absent, which takes
 * longer while the device's queue is full. It is the only call between them and must remain so.
 */
CALL(jlong, preadArrayNoWait)
(JNIEnv *env, jclass type UNUSED, jint fd, jbyteArray array, jint offset, jint length,
 jlong position) {
  jbyte *bytes = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
  if (bytes == NULL) {
    /* An OutOfMemoryError is pending; the JVM throws it on return. */
    return -ENOMEM;
  }
  jlong result = answer(pread_no_wait(fd, bytes + offset, length, position));
  (*env)->ReleasePrimitiveArrayCritical(env, array, bytes, result > 0 ? 0 : JNI_ABORT);
  return result;
}

CALL(jlong, pwrite)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong address, jlong length, jlong position) {
  return answer(pwrite(fd, pointer(address), (size_t)length, position));
}

CALL(jlong, write)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong address, jlong length) {
  return answer(write(fd, pointer(address), (size_t)length));
}

CALL(jint, ftruncate)(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong length) {
  return (jint)answer(ftruncate(fd, length));
}

CALL(jint, fsync)(JNIEnv *env UNUSED, jclass type UNUSED, jint fd) {
  return (jint)answer(fsync(fd));
}

CALL(jint, fdatasync)(JNIEnv *env UNUSED, jclass type UNUSED, jint fd) {
  return (jint)answer(fdatasync(fd));
}

/* The result wraps around in 2262: it is for comparing, not for showing. */
static jlong nanos(const struct timespec *time) {
  return (jlong)((uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec);
}

/* out: kind, device, inode, size, modified, changed. */
CALL(jint, fstat)(JNIEnv *env, jclass type UNUSED, jint fd, jlongArray out) {
  struct stat stat;
  long result = syscall(SYS_fstat, fd, &stat);
  if (result < 0) {
    return (jint)answer(result);
  }
  jlong values[] = {
      S_ISREG(stat.st_mode) ? KIND_REGULAR : S_ISDIR(stat.st_mode) ? KIND_DIRECTORY : KIND_OTHER,
      (jlong)stat.st_dev,
      (jlong)stat.st_ino,
      stat.st_size,
      nanos(&stat.st_mtim),
      nanos(&stat.st_ctim),
  };
  (*env)->SetLongArrayRegion(env, out, 0, 6, values);
  return 0;
}

CALL(jlong, directAlignment)(JNIEnv *env UNUSED, jclass type UNUSED, jint fd) {
  unsigned char answers[ANSWER_SIZE];
  memset(answers, 0, sizeof answers);
  long result = syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, answers);
  if (result < 0) {
    return answer(result);
  }
  uint32_t mask;
  memcpy(&mask, answers + ANSWER_MASK, sizeof mask);
  if ((mask & STATX_DIOALIGN) == 0) {
    return -EOPNOTSUPP;
  }
  uint32_t memory;
  memcpy(&memory, answers + ANSWER_MEM_ALIGN, sizeof memory);
  uint32_t offset;
  memcpy(&offset, answers + ANSWER_OFFSET_ALIGN, sizeof offset);
  return (jlong)memory << 32 | offset;
}

CALL(jint, fadvise)
(JNIEnv *env UNUSED, jclass type UNUSED, jint fd, jlong position, jlong length, jint advice) {
  /* This call returns the error number itself. */
  return -posix_fadvise(fd, position, length, advice);
}

CALL(jlong, ioSetup)(JNIEnv *env UNUSED, jclass type UNUSED, jint depth) {
  aio_context_t context = 0;
  long result = syscall(SYS_io_setup, (long)depth, &context);
  return result < 0 ? answer(result) : (jlong)context;
}

/* requests: the address of the first of count addresses of a struct iocb. */
CALL(jint, ioSubmit)
(JNIEnv *env UNUSED, jclass type UNUSED, jlong context, jint count, jlong requests) {
  return (jint)answer(syscall(SYS_io_submit, context, (long)count, requests));
}

/* events: the address of the first of most struct io_events. timeout: that of a struct timespec. */
CALL(jint, ioGetEvents)
(JNIEnv *env UNUSED, jclass type UNUSED, jlong context, jint least, jint most, jlong events,
 jlong timeout) {
  return (jint)answer(
      syscall(SYS_io_getevents, context, (long)least, (long)most, events, timeout));
}

CALL(jint, ioDestroy)(JNIEnv *env UNUSED, jclass type UNUSED, jlong context) {
  return (jint)answer(syscall(SYS_io_destroy, context));
}

CALL(jlong, mmap)(JNIEnv *env UNUSED, jclass type UNUSED, jlong length) {
  void *address = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address == MAP_FAILED ? -(jlong)errno : (jlong)(uintptr_t)address;
}

CALL(void, munmap)(JNIEnv *env UNUSED, jclass type UNUSED, jlong address, jlong length) {
  munmap(pointer(address), (size_t)length);
}

CALL(jint, madvise)
(JNIEnv *env UNUSED, jclass type UNUSED, jlong address, jlong length, jint advice) {
  return (jint)answer(madvise(pointer(address), (size_t)length, advice));
}

/* glibc alone has this function, and the library has to load without it. */
extern int malloc_trim(size_t pad) __attribute__((weak));

CALL(jint, mallocTrim)(JNIEnv *env UNUSED, jclass type UNUSED) {
  return malloc_trim == NULL ? -ENOSYS : malloc_trim(0);
}

CALL(jobject, buffer)(JNIEnv *env, jclass type UNUSED, jlong address, jint size) {
  return (*env)->NewDirectByteBuffer(env, pointer(address), size);
}

CALL(jlong, address)(JNIEnv *env, jclass type UNUSED, jobject buffer) {
  return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}
