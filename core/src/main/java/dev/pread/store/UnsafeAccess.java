/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static java.lang.invoke.MethodType.methodType;

import dev.pread.cache.Chunk;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Loads values by address on Java 21, which has no memory segments for that. It calls {@code
 * sun.misc.Unsafe} through constant method handles, which compile to the same instructions, and
 * need nothing of it when this class is compiled.
 *
 * <p>What keeps the addresses right is said in docs/decisions/0006-reads-by-address.md.
 */
final class UnsafeAccess extends BufferAccess {

  private static final MethodHandle GET_BYTE;
  private static final MethodHandle GET_SHORT;
  private static final MethodHandle GET_INT;
  private static final MethodHandle GET_LONG;
  private static final MethodHandle COPY;
  private static final MethodHandle GET_FIELD;
  private static final long ADDRESS_FIELD;
  private static final long BYTES_START;

  static {
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      Object unsafe = lookup.findStaticGetter(type, "theUnsafe", type).invoke();
      GET_BYTE = getter(lookup, unsafe, "getByte", byte.class);
      GET_SHORT = getter(lookup, unsafe, "getShort", short.class);
      GET_INT = getter(lookup, unsafe, "getInt", int.class);
      GET_LONG = getter(lookup, unsafe, "getLong", long.class);
      GET_FIELD = lookup.bind(unsafe, "getLong", methodType(long.class, Object.class, long.class));
      COPY =
          lookup.bind(
              unsafe,
              "copyMemory",
              methodType(
                  void.class, Object.class, long.class, Object.class, long.class, long.class));
      ADDRESS_FIELD =
          (long)
              type.getMethod("objectFieldOffset", Field.class)
                  .invoke(unsafe, Buffer.class.getDeclaredField("address"));
      BYTES_START =
          (int) type.getMethod("arrayBaseOffset", Class.class).invoke(unsafe, byte[].class);
    } catch (Throwable t) {
      throw new ExceptionInInitializerError(t);
    }
  }

  UnsafeAccess() {}

  private static MethodHandle getter(
      MethodHandles.Lookup lookup, Object unsafe, String name, Class<?> type)
      throws ReflectiveOperationException {
    return lookup.bind(unsafe, name, methodType(type, long.class));
  }

  @Override
  protected long address(Chunk chunk) {
    return chunk.address(UnsafeAccess::address);
  }

  private static long address(ByteBuffer memory) {
    try {
      return (long) GET_FIELD.invokeExact((Object) memory, ADDRESS_FIELD);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  @Override
  protected byte getByte(WindowedPreadInput from, int index) {
    try {
      return (byte) GET_BYTE.invokeExact(from.address + index);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  @Override
  protected short getShort(WindowedPreadInput from, int index) {
    try {
      return (short) GET_SHORT.invokeExact(from.address + index);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  @Override
  protected int getInt(WindowedPreadInput from, int index) {
    try {
      return (int) GET_INT.invokeExact(from.address + index);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  @Override
  protected long getLong(WindowedPreadInput from, int index) {
    try {
      return (long) GET_LONG.invokeExact(from.address + index);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  @Override
  protected void copy(WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, dst.length);
    try {
      COPY.invokeExact(
          (Object) null, from.address + index, (Object) dst, BYTES_START + offset, (long) count);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** The calls declare no exceptions; an error of the machine goes on as it is. */
  private static Error impossible(Throwable t) {
    return t instanceof Error error ? error : new AssertionError(t);
  }
}
