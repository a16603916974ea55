/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A device that carries out the reads of a queue. It writes into their memory when somebody asks
 * for events, which is the latest that a real one may do so.
 */
public final class StressDevice {

  private static final int DEPTH = 2;
  private static final int BLOCK = Long.BYTES;

  private final long value;
  private final Queue<IoVector> offered = new ConcurrentLinkedQueue<>();
  private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();
  private final ReadQueue queue;

  /** Memory whose addresses are offsets within it. */
  private static final class Memory extends NativeBuffer {
    Memory(int size) {
      super(ByteBuffer.allocateDirect(size));
    }

    @Override
    public long address(int offset) {
      return offset;
    }
  }

  /**
   * Makes one.
   *
   * @param value what its longs all are
   */
  public StressDevice(long value) {
    this.value = value;
    SystemCalls calls =
        (SystemCalls)
            Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(),
                new Class<?>[] {SystemCalls.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "allocate" -> new Memory((int) arguments[0]);
                      case "ioSetup" -> 1L;
                      case "ioSubmit" ->
                          submit((NativeBuffer) arguments[1], (int) arguments[2], arguments[3]);
                      case "ioGetEvents" -> events((NativeBuffer) arguments[3]);
                      default -> 0;
                    });
    try {
      queue = ReadQueue.open(calls, DEPTH);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its queue. */
  public ReadQueue queue() {
    return queue;
  }

  /** Offers a read of it. */
  public boolean offer(QueuedRead read) {
    offered.add(read.memory());
    return queue.offer(read, 0, 0);
  }

  private int submit(NativeBuffer requests, int offset, Object count) {
    for (int i = 0; i < (int) count; i++) {
      int at = (int) requests.bytes().getLong(offset + i * Long.BYTES);
      numbers.add(requests.bytes().getLong(at + AioLayout.IOCB_DATA));
    }
    return (int) count;
  }

  private int events(NativeBuffer events) {
    Long number = numbers.poll();
    if (number == null) {
      return 0;
    }
    IoVector memory = offered.poll();
    for (int i = 0; i < memory.size(); i++) {
      for (int at = 0; at < memory.length(i); at += BLOCK) {
        memory.memory(i).putLong(memory.offset(i) + at, value);
      }
    }
    events.bytes().putLong(AioLayout.EVENT_DATA, number);
    events.bytes().putLong(AioLayout.EVENT_RESULT, memory.length());
    return 1;
  }
}
