/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The log of a class, which fails whatever it is told, until this is closed. */
public final class FailingLog implements AutoCloseable {

  private final AtomicInteger told = new AtomicInteger();
  private final Logger logger;
  private final Level level;
  private final Filter filter;

  /** Lets the log fail. */
  public FailingLog(String className) {
    logger = Logger.getLogger(className);
    level = logger.getLevel();
    filter = logger.getFilter();
    logger.setLevel(Level.ALL);
    logger.setFilter(
        said -> {
          told.incrementAndGet();
          throw new IllegalStateException("the log is closed");
        });
  }

  /** Returns how often it was told something. */
  public int told() {
    return told.get();
  }

  @Override
  public void close() {
    logger.setFilter(filter);
    logger.setLevel(level);
  }
}
