/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Power failures, simulated in process: what an {@code IndexWriter} asks of the kernel is logged,
 * and from the log follow the states in which a crash may leave the disk. In each of them Lucene
 * has to find an index that is whole and no older than the last commit that returned.
 *
 * <p>{@link dev.pread.reliability.crash.Workload} runs the writer over {@link
 * dev.pread.reliability.crash.LoggedSystemCalls} and {@link
 * dev.pread.reliability.crash.LoggedFileSystem}, which fill an {@link
 * dev.pread.reliability.crash.OperationLog}. {@link dev.pread.reliability.crash.Disk} is what a
 * prefix of the log has made of the disk, {@link dev.pread.reliability.crash.Survival} decides what
 * of it the crash leaves, {@link dev.pread.reliability.crash.RecoveryCheck} opens the result, and
 * {@link dev.pread.reliability.crash.CrashSearch} goes through them. {@link
 * dev.pread.reliability.crash.PlantedFault} shows that it would find something.
 *
 * <p><b>The model</b> promises what POSIX and the man pages promise, and nothing that file systems
 * add to it:
 *
 * <ul>
 *   <li>What was written to a file, and its length, is safe once {@code fdatasync} or {@code fsync}
 *       of that file has returned. Until then each sector of each write is there or not (sectors
 *       have 512 or 4096 bytes), whatever came before or after it, and the length is any that the
 *       file has had since. What the length covers and no write has reached reads as zeros, or as
 *       what was on the disk before.
 *   <li>A name is safe once {@code fsync} of its folder has returned; that of the file is not
 *       enough. Until then each creation, link and removal is there or not, on its own. A rename is
 *       a link and a removal, of which either may be missing.
 *   <li>What is safe stays as it is, a write that was not made leaves the sectors next to it alone,
 *       and a sector is never half written.
 * </ul>
 *
 * <p>That is less than ext4, XFS or btrfs keep, so that whatever passes here does not depend on
 * which of them it is. The idea of persistence models that are weaker than any one file system, and
 * of leaving out any subset of what is unsynced, is from ALICE (Pillai et al., "All File Systems
 * Are Not Created Equal", OSDI 2014). The crash at every point of a recorded workload and the
 * comparison with what had been acknowledged are from CrashMonkey (Mohan et al., "Finding
 * Crash-Consistency Bugs with Bounded Black-Box Crash Testing", OSDI 2018). The random workload
 * with an expected state kept beside it is what RocksDB's {@code db_stress} and {@code
 * db_crashtest.py} do.
 */
package dev.pread.reliability.crash;
