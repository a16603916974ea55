/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every function of linux_calls.c, called without a JVM, so that the sanitizers and valgrind see each
 * access: the few functions of JNI that it uses are played by arrays of C. Ends with status 0 and
 * "ok" if all is as it should be.
 *
 * Usage: linux_calls_test FOLDER ROUNDS
 */
#include "../../main/c/linux_calls.c"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define LENGTH 10000

/* What a reference to an array points to here: exactly its elements, so that one more is an error. */
struct array {
  jsize length;
  void *elements;
};

static int critical;
static jint released_mode;
static int refuse;

static jsize JNICALL get_array_length(JNIEnv *env UNUSED, jarray array) {
  CHECK(!critical);
  return ((struct array *)array)->length;
}

static void JNICALL get_byte_array_region(JNIEnv *env UNUSED, jbyteArray array, jsize start,
                                          jsize length, jbyte *to) {
  CHECK(!critical);
  memcpy(to, (jbyte *)((struct array *)array)->elements + start, (size_t)length);
}

static void JNICALL set_long_array_region(JNIEnv *env UNUSED, jlongArray array, jsize start,
                                          jsize length, const jlong *from) {
  CHECK(!critical && start + length <= ((struct array *)array)->length);
  memcpy((jlong *)((struct array *)array)->elements + start, from,
         (size_t)length * sizeof(jlong));
}

static void *JNICALL get_critical(JNIEnv *env UNUSED, jarray array, jboolean *is_copy UNUSED) {
  CHECK(!critical);
  if (refuse) {
    return NULL;
  }
  critical = 1;
  return ((struct array *)array)->elements;
}

static void JNICALL release_critical(JNIEnv *env UNUSED, jarray array, void *elements, jint mode) {
  CHECK(critical && elements == ((struct array *)array)->elements);
  critical = 0;
  released_mode = mode;
}

static jobject JNICALL new_direct_byte_buffer(JNIEnv *env UNUSED, void *address,
                                              jlong size UNUSED) {
  return address;
}

static void *JNICALL get_direct_buffer_address(JNIEnv *env UNUSED, jobject buffer) {
  return buffer;
}

static const struct JNINativeInterface_ FUNCTIONS = {
    .GetArrayLength = get_array_length,
    .GetByteArrayRegion = get_byte_array_region,
    .SetLongArrayRegion = set_long_array_region,
    .GetPrimitiveArrayCritical = get_critical,
    .ReleasePrimitiveArrayCritical = release_critical,
    .NewDirectByteBuffer = new_direct_byte_buffer,
    .GetDirectBufferAddress = get_direct_buffer_address,
};
static JNIEnv environment = &FUNCTIONS;
static JNIEnv *const ENV = &environment;

#define DO(name) Java_dev_pread_jni_LinuxCalls_##name

static void *allocate(size_t size) {
  void *memory = calloc(1, size);
  CHECK(memory != NULL);
  return memory;
}

static struct array new_array(jsize length, size_t element) {
  struct array array = {length, allocate((size_t)length * element)};
  return array;
}

/* Not terminated by a NUL, and not longer than its text. */
static struct array path_of(const char *folder, const char *name) {
  size_t length = strlen(folder) + 1 + strlen(name);
  struct array array = {(jsize)length, allocate(length)};
  char *text = allocate(length + 1);
  snprintf(text, length + 1, "%s/%s", folder, name);
  memcpy(array.elements, text, length);
  free(text);
  return array;
}

static jint open_path(const char *folder, const char *name, jint how) {
  struct array path = path_of(folder, name);
  jint fd = DO(open)(ENV, NULL, (jbyteArray)&path, how);
  free(path.elements);
  return fd;
}

static void opens_and_writes(const char *folder, const unsigned char *data) {
  CHECK(open_path(folder, "missing", 0) == -ENOENT);
  jint fd = open_path(folder, "f", OPEN_WRITE | OPEN_CREATE);
  CHECK(fd >= 0);
  CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  CHECK(open_path(folder, "f", OPEN_WRITE | OPEN_CREATE) == -EEXIST);
  CHECK(DO(pwrite)(ENV, NULL, fd, (jlong)(uintptr_t)data, LENGTH, 0) == LENGTH);
  CHECK(DO(write)(ENV, NULL, fd, (jlong)(uintptr_t)data, LENGTH) == LENGTH);
  CHECK(DO(ftruncate)(ENV, NULL, fd, LENGTH + 5) == 0);
  CHECK(DO(ftruncate)(ENV, NULL, fd, LENGTH) == 0);
  CHECK(DO(fdatasync)(ENV, NULL, fd) == 0);
  CHECK(DO(fsync)(ENV, NULL, fd) == 0);
  CHECK(DO(close)(ENV, NULL, fd) == 0);
  CHECK(DO(close)(ENV, NULL, fd) == -EBADF);
  CHECK(DO(fsync)(ENV, NULL, fd) == -EBADF);
  CHECK(DO(fdatasync)(ENV, NULL, fd) == -EBADF);
  CHECK(DO(ftruncate)(ENV, NULL, fd, 0) == -EBADF);
  CHECK(DO(pwrite)(ENV, NULL, fd, (jlong)(uintptr_t)data, 1, 0) == -EBADF);
  CHECK(DO(write)(ENV, NULL, fd, (jlong)(uintptr_t)data, 1) == -EBADF);
}

static void paths_end_where_the_stack_does(const char *folder) {
  char name[PATH_MAX + 2];
  for (size_t length = PATH_MAX - strlen(folder) - 4; length <= PATH_MAX; length++) {
    memset(name, 'x', length);
    name[length] = '\0';
    CHECK(open_path(folder, name, 0) == -ENAMETOOLONG);
  }
}

static void reads(jint fd, const unsigned char *data) {
  unsigned char *read = allocate(LENGTH);
  CHECK(DO(pread)(ENV, NULL, fd, (jlong)(uintptr_t)read, LENGTH, 0) == LENGTH);
  CHECK(memcmp(read, data, LENGTH) == 0);
  CHECK(DO(pread)(ENV, NULL, fd, (jlong)(uintptr_t)read, LENGTH, LENGTH - 7) == 7);
  CHECK(memcmp(read, data + LENGTH - 7, 7) == 0);
  CHECK(DO(pread)(ENV, NULL, fd, (jlong)(uintptr_t)read, 1, LENGTH) == 0);
  CHECK(DO(pread)(ENV, NULL, fd, (jlong)(uintptr_t)read, 1, -1) == -EINVAL);
  CHECK(DO(pread)(ENV, NULL, -1, (jlong)(uintptr_t)read, 1, 0) == -EBADF);
  struct iovec *pieces = allocate(2 * sizeof *pieces);
  pieces[0] = (struct iovec){read, 1};
  pieces[1] = (struct iovec){read + 1, LENGTH - 1};
  CHECK(DO(preadv)(ENV, NULL, fd, (jlong)(uintptr_t)pieces, 2, 5) == LENGTH - 5);
  CHECK(memcmp(read, data + 5, LENGTH - 5) == 0);
  CHECK(DO(preadv)(ENV, NULL, -1, (jlong)(uintptr_t)pieces, 2, 0) == -EBADF);
  free(pieces);
  jlong n = DO(preadNoWait)(ENV, NULL, fd, (jlong)(uintptr_t)read, 9, 3);
  CHECK(n == 9 || n == -EAGAIN || n == -EOPNOTSUPP || n == -ENOSYS);
  CHECK(n != 9 || memcmp(read, data + 3, 9) == 0);
  CHECK(DO(preadNoWait)(ENV, NULL, -1, (jlong)(uintptr_t)read, 9, 3) < 0);
  free(read);
}

static void reads_into_arrays(jint fd, const unsigned char *data) {
  struct array array = new_array(LENGTH, 1);
  jlong n = DO(preadArrayNoWait)(ENV, NULL, fd, (jbyteArray)&array, 7, LENGTH - 7, 11);
  CHECK(!critical);
  if (n > 0) {
    CHECK(n <= LENGTH - 11 && released_mode == 0);
    CHECK(memcmp((char *)array.elements + 7, data + 11, (size_t)n) == 0);
  } else {
    CHECK(n == -EAGAIN || n == -EOPNOTSUPP || n == -ENOSYS);
    CHECK(released_mode == JNI_ABORT);
  }
  CHECK(DO(preadArrayNoWait)(ENV, NULL, -1, (jbyteArray)&array, 0, 1, 0) < 0);
  CHECK(!critical && released_mode == JNI_ABORT);
  refuse = 1;
  CHECK(DO(preadArrayNoWait)(ENV, NULL, fd, (jbyteArray)&array, 0, 1, 0) == -ENOMEM);
  refuse = 0;
  CHECK(!critical);
  free(array.elements);
}

static void looks(jint fd, const char *folder) {
  struct array stat = new_array(6, sizeof(jlong));
  jlong *values = stat.elements;
  CHECK(DO(fstat)(ENV, NULL, fd, (jlongArray)&stat) == 0);
  CHECK(values[0] == KIND_REGULAR && values[2] > 0 && values[3] == LENGTH);
  CHECK(values[4] > 0 && values[5] >= values[4]);
  jint directory = open_path(folder, ".", 0);
  CHECK(DO(fstat)(ENV, NULL, directory, (jlongArray)&stat) == 0 && values[0] == KIND_DIRECTORY);
  CHECK(DO(close)(ENV, NULL, directory) == 0);
  jint device = open_path("/dev", "null", 0);
  CHECK(DO(fstat)(ENV, NULL, device, (jlongArray)&stat) == 0 && values[0] == KIND_OTHER);
  CHECK(DO(close)(ENV, NULL, device) == 0);
  CHECK(DO(fstat)(ENV, NULL, -1, (jlongArray)&stat) == -EBADF);
  free(stat.elements);
  jlong result = DO(directAlignment)(ENV, NULL, fd);
  CHECK(result >= 0 || result == -EOPNOTSUPP || result == -ENOSYS);
  result = DO(directAlignment)(ENV, NULL, -1);
  CHECK(result == -EBADF || result == -ENOSYS);
  for (jint advice = 0; advice < 5; advice++) {
    CHECK(DO(fadvise)(ENV, NULL, fd, 0, 0, advice) == 0);
  }
  CHECK(DO(fadvise)(ENV, NULL, fd, 0, 0, 99) == -EINVAL);
  CHECK(DO(fadvise)(ENV, NULL, fd, 0, 0, -1) == -EINVAL);
  CHECK(DO(fadvise)(ENV, NULL, -1, 0, 0, 0) == -EBADF);
}

/* Asynchronous reads are as good as any for the sanitizers where a sandbox forbids them. */
static void reads_asynchronously(jint fd, const unsigned char *data) {
  jlong context = DO(ioSetup)(ENV, NULL, 4);
  if (context == -EPERM || context == -ENOSYS) {
    return;
  }
  CHECK(context > 0);
  CHECK(DO(ioSetup)(ENV, NULL, 0) == -EINVAL);
  unsigned char *read = allocate(LENGTH);
  struct iovec *pieces = allocate(2 * sizeof *pieces);
  pieces[0] = (struct iovec){read, 1};
  pieces[1] = (struct iovec){read + 1, LENGTH - 1};
  struct iocb *good = allocate(sizeof *good);
  *good = (struct iocb){.aio_data = 77, .aio_lio_opcode = IOCB_CMD_PREADV, .aio_fildes = (__u32)fd,
                        .aio_buf = (uintptr_t)pieces, .aio_nbytes = 2, .aio_offset = 5};
  struct iocb *bad = allocate(sizeof *bad);
  *bad = *good;
  bad->aio_fildes = (__u32)-1;
  struct iocb **requests = allocate(2 * sizeof *requests);
  requests[0] = good;
  requests[1] = bad;
  jlong address = (jlong)(uintptr_t)requests;
  CHECK(DO(ioSubmit)(ENV, NULL, context, 0, address) == 0);
  CHECK(DO(ioSubmit)(ENV, NULL, context, 2, address) == 1);
  CHECK(DO(ioSubmit)(ENV, NULL, context, 1, address + (jlong)sizeof *requests) == -EBADF);
  struct io_event *events = allocate(4 * sizeof *events);
  struct timespec *timeout = allocate(sizeof *timeout);
  timeout->tv_sec = 10;
  CHECK(DO(ioGetEvents)(ENV, NULL, context, 1, 4, (jlong)(uintptr_t)events,
                        (jlong)(uintptr_t)timeout) == 1);
  CHECK(events[0].data == 77 && events[0].res == LENGTH - 5);
  CHECK(memcmp(read, data + 5, LENGTH - 5) == 0);
  timeout->tv_sec = 0;
  CHECK(DO(ioGetEvents)(ENV, NULL, context, 0, 4, (jlong)(uintptr_t)events,
                        (jlong)(uintptr_t)timeout) == 0);
  CHECK(DO(ioDestroy)(ENV, NULL, context) == 0);
  CHECK(DO(ioDestroy)(ENV, NULL, context) == -EINVAL);
  free(read);
  free(pieces);
  free(good);
  free(bad);
  free(requests);
  free(events);
  free(timeout);
}

static void maps(void) {
  jlong address = DO(mmap)(ENV, NULL, 1 << 20);
  CHECK(address > 0);
  unsigned char *memory = pointer(address);
  memory[0] = 1;
  memory[(1 << 20) - 1] = 1;
  jint advised = DO(madvise)(ENV, NULL, address, 1 << 20, MADV_HUGEPAGE);
  CHECK(advised == 0 || advised == -EINVAL);
  CHECK(DO(madvise)(ENV, NULL, address, 1 << 20, MADV_DONTFORK) == 0);
  CHECK(DO(madvise)(ENV, NULL, address + 1, 4096, MADV_DONTFORK) == -EINVAL);
  CHECK(DO(madvise)(ENV, NULL, address, 0, MADV_DONTFORK) == 0);
  CHECK(DO(madvise)(ENV, NULL, address + 1, 0, MADV_DONTFORK) == -EINVAL);
  CHECK(DO(madvise)(ENV, NULL, address, 1 << 20, MADV_DONTNEED) == 0);
  CHECK(memory[0] == 0 && memory[(1 << 20) - 1] == 0);
  CHECK(DO(madvise)(ENV, NULL, address + 1, 4096, MADV_DONTNEED) == -EINVAL);
  jint populated = DO(madvise)(ENV, NULL, address, 1 << 20, MADV_POPULATE_WRITE);
  CHECK(populated == 0 || populated == -EINVAL);
  CHECK(DO(madvise)(ENV, NULL, address + 1, 4096, MADV_POPULATE_WRITE) == -EINVAL);
  jobject buffer = DO(buffer)(ENV, NULL, address, 1 << 20);
  CHECK(DO(address)(ENV, NULL, buffer) == address);
  DO(munmap)(ENV, NULL, address, 1 << 20);
  CHECK(DO(madvise)(ENV, NULL, address, 1 << 20, MADV_DONTFORK) == -ENOMEM);
  CHECK(DO(mmap)(ENV, NULL, 0) == -EINVAL);
#ifdef __GLIBC__
  CHECK(DO(mallocTrim)(ENV, NULL) >= 0);
#else
  CHECK(DO(mallocTrim)(ENV, NULL) == -ENOSYS);
#endif
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  const char *folder = arguments[1];
  CHECK(DO(version)(ENV, NULL) == VERSION);
  unsigned char *data = allocate(LENGTH);
  for (int i = 0; i < LENGTH; i++) {
    data[i] = (unsigned char)(i * 31 + i / 251);
  }
  opens_and_writes(folder, data);
  paths_end_where_the_stack_does(folder);
  for (int round = 0; round < atoi(arguments[2]); round++) {
    jint fd = open_path(folder, "f", 0);
    CHECK(fd >= 0);
    reads(fd, data);
    reads_into_arrays(fd, data);
    reads_asynchronously(fd, data);
    looks(fd, folder);
    CHECK(DO(close)(ENV, NULL, fd) == 0);
    jint direct = open_path(folder, "f", OPEN_DIRECT);
    CHECK(direct == -EINVAL || (fcntl(direct, F_GETFL) & O_DIRECT) != 0);
    CHECK(direct < 0 || DO(close)(ENV, NULL, direct) == 0);
    maps();
  }
  free(data);
  puts("ok");
  return 0;
}
