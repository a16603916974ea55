/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Says where the fields of the structs of Linux AIO lie, in bytes, and which values they have. They
 * are the same on x86-64 and aarch64; a test compares them with the C headers.
 */
final class AioLayout {

  /** {@code sizeof(struct iocb)}, a request. */
  static final int IOCB_SIZE = 64;

  /** {@code iocb.aio_data}, 64 bits that come back with the event. */
  static final int IOCB_DATA = 0;

  /** {@code iocb.aio_lio_opcode}, 16 bits. */
  static final int IOCB_OPCODE = 16;

  /** {@code iocb.aio_fildes}, 32 bits. */
  static final int IOCB_FD = 20;

  /** {@code iocb.aio_buf}, 64 bits: the address of the {@code iovec}s. */
  static final int IOCB_VECTOR = 24;

  /** {@code iocb.aio_nbytes}, 64 bits: the number of {@code iovec}s. */
  static final int IOCB_COUNT = 32;

  /** {@code iocb.aio_offset}, 64 bits. */
  static final int IOCB_POSITION = 40;

  /** {@code IOCB_CMD_PREADV}. */
  static final short READ_VECTOR = 7;

  /** {@code sizeof(struct io_event)}. */
  static final int EVENT_SIZE = 32;

  /** {@code io_event.data}, 64 bits. */
  static final int EVENT_DATA = 0;

  /** {@code io_event.res}, 64 bits: the number of bytes read, or a negative errno. */
  static final int EVENT_RESULT = 16;

  /** {@code sizeof(struct timespec)}: seconds and nanoseconds. */
  static final int TIMESPEC_SIZE = 16;

  private AioLayout() {}
}
