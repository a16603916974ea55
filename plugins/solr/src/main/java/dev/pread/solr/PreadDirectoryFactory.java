/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.core.SolrXmlConfig;
import org.apache.solr.core.StandardDirectoryFactory;
import org.apache.solr.core.snapshots.SolrSnapshotMetaDataManager;

/**
 * Makes the directories of a core whose {@code solrconfig.xml} says so:
 *
 * <pre>{@code
 * <directoryFactory name="DirectoryFactory" class="dev.pread.solr.PreadDirectoryFactory">
 *   <str name="type">pread_direct</str>
 * </directoryFactory>
 * }</pre>
 *
 * <p>{@code type} is {@code pread}, the default, or {@code pread_direct}. All cores of a node share
 * one block cache, which is there as long as one of them is loaded; {@link PreadSettings} has what
 * can be said about it. {@code solr.data.home}, locks, moves and removals are those of Solr's own
 * factory.
 *
 * <p>The class runs in Solr 9 and Solr 10, whose factories differ in one method; each calls its
 * own.
 */
public final class PreadDirectoryFactory extends StandardDirectoryFactory {

  private static final String TYPE = "type";

  /** Folders that have no index, though Solr gives them the context of one. */
  private static final List<String> NOTES =
      List.of(SolrSnapshotMetaDataManager.SNAPSHOT_METADATA_DIR, "tlog");

  private StoreType type = StoreType.PREAD;
  private NodeDirectories node;

  /**
   * @throws SolrException if there is an argument that this factory does not have, or cannot use
   */
  @Override
  public void init(NamedList<?> args) {
    super.init(args);
    for (var arg : args) {
      if (arg.getKey().equals(TYPE)) {
        type = type(String.valueOf(arg.getValue()));
      } else if (!arg.getKey().equals(SolrXmlConfig.SOLR_DATA_HOME)) {
        String known = "there are [type] and [" + SolrXmlConfig.SOLR_DATA_HOME + "]";
        throw refused("unknown argument [" + arg.getKey() + "]: " + known, null);
      }
    }
  }

  private static StoreType type(String text) {
    return Arrays.stream(StoreType.values())
        .filter(each -> each.key().equals(text.trim().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () -> refused("type [" + text + "] is not known: use pread or pread_direct", null));
  }

  private static SolrException refused(String what, Exception cause) {
    return new SolrException(
        SolrException.ErrorCode.SERVER_ERROR,
        PreadDirectoryFactory.class.getName() + ": " + what,
        cause);
  }

  @Override
  protected Directory create(String path, LockFactory locks, DirContext context)
      throws IOException {
    return hasIndex(path, context)
        ? create(path, locks)
        : node().openBeside(type, Path.of(path), locks);
  }

  /** Returns whether it is the directory of an index: a core has others for its notes. */
  private static boolean hasIndex(String path, DirContext context) {
    return context != DirContext.META_DATA && NOTES.stream().noneMatch(Path.of(path)::endsWith);
  }

  /**
   * Makes a directory for Solr 10, which calls this method: it has no {@code DirContext}.
   *
   * @return the directory, which Solr closes
   */
  public Directory create(String path, LockFactory locks) throws IOException {
    return node().open(type, Path.of(path), locks, (name, context) -> context);
  }

  private synchronized NodeDirectories node() {
    if (node == null) {
      try {
        node = SharedNode.acquire(coreContainer);
      } catch (IllegalArgumentException e) {
        throw refused(e.getMessage(), e);
      }
    }
    return node;
  }

  /** Closes the directories of the core, and gives up its share of the cache. */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      release();
    }
  }

  private synchronized void release() {
    if (node != null) {
      node = null;
      SharedNode.release(coreContainer);
    }
  }
}
