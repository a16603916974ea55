/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device that carries out the reads of a queue. It writes into their memory when somebody asks
 * for events, or destroys the queue, which is the latest that a real one may do so.
 */
public final class StressDevice {

  private static final int DEPTH = 3;
  private static final int BLOCK = Long.BYTES;

  private final long value;
  private final boolean isSlow;

  /** The memory of each read that has been offered, by the position that the read is given. */
  private final Map<Long, IoVector> offered = new ConcurrentHashMap<>();

  private final AtomicLong lastPosition = new AtomicLong();
  private final Queue<Read> underWay = new ConcurrentLinkedQueue<>();
  private final ReadQueue queue;
  private volatile boolean isDestroyed;
  private volatile boolean wasCalledTooLate;

  /** A read that has begun, by the number that its event has. */
  private record Read(long number, IoVector memory) {}

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
   * @param isSlow whether it has done nothing until somebody waits for it
   */
  public StressDevice(long value, boolean isSlow) {
    this.value = value;
    this.isSlow = isSlow;
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
                      case "ioGetEvents" -> events(arguments[1], (NativeBuffer) arguments[3]);
                      case "ioDestroy" -> destroy();
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

  /** Returns whether its queue was used after it had been destroyed. */
  public boolean wasCalledTooLate() {
    return wasCalledTooLate;
  }

  /** Offers a read of it. */
  public boolean offer(QueuedRead read) {
    long position = lastPosition.incrementAndGet();
    offered.put(position, read.memory());
    return queue.offer(read, 0, position);
  }

  /** Carries out what has begun, as a device does whether anybody wants it or not. */
  public void finish() {
    while (carryOut() != null) {}
  }

  private int submit(NativeBuffer requests, int offset, Object count) {
    noteIfTooLate();
    for (int i = 0; i < (int) count; i++) {
      int at = (int) requests.bytes().getLong(offset + i * Long.BYTES);
      long number = requests.bytes().getLong(at + AioLayout.IOCB_DATA);
      long position = requests.bytes().getLong(at + AioLayout.IOCB_POSITION);
      underWay.add(new Read(number, offered.remove(position)));
    }
    return (int) count;
  }

  private int events(Object least, NativeBuffer events) {
    noteIfTooLate();
    Read read = isSlow && least.equals(0) ? null : carryOut();
    if (read == null) {
      return 0;
    }
    events.bytes().putLong(AioLayout.EVENT_DATA, read.number());
    events.bytes().putLong(AioLayout.EVENT_RESULT, read.memory().length());
    return 1;
  }

  private void noteIfTooLate() {
    if (isDestroyed) {
      wasCalledTooLate = true;
    }
  }

  private int destroy() {
    isDestroyed = true;
    finish();
    return 0;
  }

  /** Writes into the memory of a read, and returns it; null if none has begun. */
  private Read carryOut() {
    Read read = underWay.poll();
    IoVector memory = read == null ? null : read.memory();
    for (int i = 0; memory != null && i < memory.size(); i++) {
      for (int at = 0; at < memory.length(i); at += BLOCK) {
        memory.memory(i).putLong(memory.offset(i) + at, value);
      }
    }
    return read;
  }
}
