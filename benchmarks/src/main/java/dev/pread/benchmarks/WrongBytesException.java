/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.io.IOException;

/** A directory returned other bytes than the file has there. */
public final class WrongBytesException extends IOException {
  private static final long serialVersionUID = 1L;

  public WrongBytesException(long offset, int length) {
    super("wrong bytes: the read of " + length + " bytes at offset " + offset);
  }
}
