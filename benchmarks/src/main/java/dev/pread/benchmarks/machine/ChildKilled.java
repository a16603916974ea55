/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.benchmarks.UserError;

/** The kernel killed a child, since it needs more memory than the limit leaves it. */
public final class ChildKilled extends UserError {
  private static final long serialVersionUID = 1L;

  ChildKilled(String message) {
    super(message);
  }
}
