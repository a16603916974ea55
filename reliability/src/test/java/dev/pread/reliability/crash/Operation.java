/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Something that has changed files or made changes safe, or a mark between such. Files are known by
 * numbers here, as inodes are: names come and go.
 */
sealed interface Operation {

  /** Does to the model what this did to the disk. */
  void replay(Disk disk);

  /** A new empty file. */
  record Create(Path path, int file) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.name(path, file);
    }
  }

  /** Another name of a file. */
  record Link(Path path, int file) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.name(path, file);
    }
  }

  /** A name is gone. */
  record Unlink(Path path) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.name(path, null);
    }
  }

  /** A name is gone and another is there. */
  record Rename(Path from, Path to, int file) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.name(to, file);
      disk.name(from, null);
    }
  }

  /**
   * One call of {@code pwrite}.
   *
   * @param bytes from 0 to its capacity; only read by absolute gets
   */
  record Write(int file, long position, ByteBuffer bytes) implements Operation {

    /** Returns where it ends in the file. */
    long end() {
      return position + bytes.capacity();
    }

    @Override
    public void replay(Disk disk) {
      disk.data(file, this);
    }

    @Override
    public String toString() {
      return "Write[file=" + file + ", position=" + position + ", length=" + bytes.capacity() + "]";
    }
  }

  /** One call of {@code ftruncate}. */
  record Truncate(int file, long length) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.data(file, this);
    }
  }

  /** {@code fdatasync} or {@code fsync} of a file has returned. */
  record SyncFile(int file) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.syncFile(file);
    }
  }

  /** {@code fsync} of a folder has returned. */
  record SyncFolder(Path folder) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.syncFolder(folder);
    }
  }

  /** Lucene has told the caller that commit number {@code commit} is safe. */
  record Returned(int commit) implements Operation {
    @Override
    public void replay(Disk disk) {
      disk.returned(commit);
    }
  }
}
