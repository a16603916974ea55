/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.Map;

/** Lets tests of other packages see the structs of Linux AIO, which nobody else needs. */
public final class AioStructs {

  private AioStructs() {}

  /** Adds each number, named by the C expression that it has to be equal to. */
  public static void putNumbers(Map<String, Long> numbers) {
    numbers.put("sizeof(struct iocb)", (long) AioLayout.IOCB_SIZE);
    numbers.put("offsetof(struct iocb, aio_data)", (long) AioLayout.IOCB_DATA);
    numbers.put("sizeof(((struct iocb *)0)->aio_data)", (long) Long.BYTES);
    numbers.put("offsetof(struct iocb, aio_lio_opcode)", (long) AioLayout.IOCB_OPCODE);
    numbers.put("sizeof(((struct iocb *)0)->aio_lio_opcode)", (long) Short.BYTES);
    numbers.put("offsetof(struct iocb, aio_fildes)", (long) AioLayout.IOCB_FD);
    numbers.put("sizeof(((struct iocb *)0)->aio_fildes)", (long) Integer.BYTES);
    numbers.put("offsetof(struct iocb, aio_buf)", (long) AioLayout.IOCB_VECTOR);
    numbers.put("offsetof(struct iocb, aio_nbytes)", (long) AioLayout.IOCB_COUNT);
    numbers.put("offsetof(struct iocb, aio_offset)", (long) AioLayout.IOCB_POSITION);
    numbers.put("IOCB_CMD_PREADV", (long) AioLayout.READ_VECTOR);
    numbers.put("sizeof(struct io_event)", (long) AioLayout.EVENT_SIZE);
    numbers.put("offsetof(struct io_event, data)", (long) AioLayout.EVENT_DATA);
    numbers.put("offsetof(struct io_event, res)", (long) AioLayout.EVENT_RESULT);
    numbers.put("sizeof(((struct io_event *)0)->res)", (long) Long.BYTES);
    numbers.put("sizeof(struct timespec)", (long) AioLayout.TIMESPEC_SIZE);
    numbers.put("offsetof(struct timespec, tv_nsec)", (long) Long.BYTES);
    numbers.put("sizeof(aio_context_t)", (long) Long.BYTES);
  }

  /** Makes the first of these events that of a read that has failed. */
  public static void fail(NativeBuffer events, int errno) {
    events.bytes().putLong(AioLayout.EVENT_RESULT, -errno);
  }
}
