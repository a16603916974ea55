/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Remembers what is logged. */
final class LogMemory extends Handler {

  final List<LogRecord> records = new ArrayList<>();

  @Override
  public void publish(LogRecord logged) {
    records.add(logged);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
