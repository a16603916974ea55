/* SPDX-License-Identifier: Apache-2.0 */

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/**
 * Refuses to release what is not complete, with a line for each thing that is wrong. Maven runs it
 * as a source file over the folder that becomes the zip which is uploaded:
 *
 * <pre>java ReleaseCheck.java BUNDLE-FOLDER VERSION key=KEY baseline=VERSION</pre>
 *
 * The key is empty where nothing is signed, and the baseline where no release was compared with.
 */
final class ReleaseCheck {

  private static final String GROUP = "dev/pread";
  private static final String NAME = "lucene-pread";

  /** What is published, by what follows that name. */
  private static final List<String> POMS = List.of("", "-bom");

  private static final List<String> JARS =
      List.of("-core", "-ffi", "-jni", "-lucene9", "-plugin-common");
  private static final List<String> PLUGINS =
      List.of("-opensearch", "-opensearch2", "-elasticsearch", "-elasticsearch8", "-solr");
  private static final List<String> OF_A_POM = List.of(".pom", "-cyclonedx.json");
  private static final List<String> OF_A_JAR = List.of(".jar", "-sources.jar", "-javadoc.jar");

  private static final Map<String, String> CHECKSUMS = Map.of("sha1", "SHA-1", "md5", "MD5");

  /** What Central asks for in a POM. */
  private static final List<String> ELEMENTS =
      List.of(
          "name",
          "description",
          "url",
          "licenses/license/name",
          "licenses/license/url",
          "developers/developer/name",
          "scm/connection",
          "scm/developerConnection",
          "scm/url");

  /** It has nothing to be compared with. */
  private static final String FIRST = "0.1.0";

  private final Path bundle;
  private final String version;
  private final boolean signed;
  private final List<String> wrong = new ArrayList<>();

  private ReleaseCheck(Path bundle, String version, boolean signed) {
    this.bundle = bundle;
    this.version = version;
    this.signed = signed;
  }

  public static void main(String[] args) throws Exception {
    boolean signed = !args[2].equals("key=");
    ReleaseCheck check = new ReleaseCheck(Path.of(args[0]), args[1], signed);
    if (args[3].equals("baseline=") && !args[1].equals(FIRST)) {
      check.wrong.add("-Dapi.baseline=VERSION is missing, the release to compare the API with");
    }
    check.run();
    if (!check.wrong.isEmpty()) {
      check.wrong.forEach(line -> System.err.println("RELEASE REFUSED: " + line));
      System.exit(1);
    }
  }

  /** Returns the POM that the others have as their parent. */
  private Path top() {
    return file("", ".pom");
  }

  private Path file(String artifact, String end) {
    String name = NAME + artifact;
    return bundle.resolve(GROUP).resolve(name).resolve(version).resolve(name + "-" + version + end);
  }

  /** Checks that all files are there and no others, and then what is in them. */
  private void run() throws Exception {
    Set<Path> files = new TreeSet<>();
    for (String artifact : POMS) {
      OF_A_POM.forEach(end -> files.add(file(artifact, end)));
    }
    for (List<String> artifacts : List.of(JARS, PLUGINS)) {
      for (String artifact : artifacts) {
        OF_A_POM.forEach(end -> files.add(file(artifact, end)));
        OF_A_JAR.forEach(end -> files.add(file(artifact, end)));
      }
    }
    PLUGINS.forEach(artifact -> files.add(file(artifact, ".zip")));
    Set<Path> all = new TreeSet<>(files);
    for (Path file : files) {
      CHECKSUMS.keySet().forEach(end -> all.add(Path.of(file + "." + end)));
      if (signed) {
        all.add(Path.of(file + ".asc"));
        // Some versions of Maven make these, others don't, and Central does not care.
        CHECKSUMS.keySet().stream()
            .map(end -> Path.of(file + ".asc." + end))
            .filter(Files::exists)
            .forEach(all::add);
      }
    }
    Set<Path> found;
    try (var walk = Files.walk(bundle)) {
      found = walk.filter(Files::isRegularFile).collect(Collectors.toCollection(TreeSet::new));
    }
    for (Path file : all) {
      if (!found.contains(file)) {
        report(file, "is missing");
      } else if (files.contains(file)) {
        checkContent(file);
      }
    }
    found.removeAll(all);
    found.forEach(file -> report(file, "is not to be published"));
  }

  private void report(Path file, String what) {
    wrong.add(bundle.relativize(file) + " " + what);
  }

  private void checkContent(Path file) throws Exception {
    checkChecksums(file);
    String name = file.toString();
    if (name.endsWith(".pom")) {
      checkPom(file);
    } else if (name.endsWith(".zip")) {
      checkEntry(file, "LICENSE");
      checkEntry(file, "NOTICE");
      checkLibraries(file);
    } else if (name.endsWith(".jar") && !name.endsWith("-javadoc.jar")) {
      checkEntry(file, "META-INF/LICENSE");
      checkEntry(file, "META-INF/NOTICE");
    }
    if (file.equals(file("-jni", ".jar"))) {
      checkEntry(file, "dev/pread/jni/linux-x86_64/libpread_jni.so");
      checkEntry(file, "dev/pread/jni/linux-aarch64/libpread_jni.so");
    }
  }

  private void checkChecksums(Path file) throws IOException, GeneralSecurityException {
    for (Map.Entry<String, String> checksum : CHECKSUMS.entrySet()) {
      Path sum = Path.of(file + "." + checksum.getKey());
      MessageDigest digest = MessageDigest.getInstance(checksum.getValue());
      String right = HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
      if (Files.exists(sum) && !Files.readString(sum).strip().equals(right)) {
        report(sum, "is that of another file");
      }
    }
  }

  /** Elasticsearch wants texts to end in .txt, and what is for Solr is in a folder. */
  private void checkEntry(Path archive, String entry) throws IOException {
    String names = "(pread/)?" + Pattern.quote(entry) + "(\\.txt)?";
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      if (zip.stream().map(ZipEntry::getName).noneMatch(name -> name.matches(names))) {
        report(archive, "has no " + entry + " inside");
      }
    }
  }

  /** A zip has those of the jar that is published, if it has that jar as it is. */
  private void checkLibraries(Path archive) throws IOException {
    Path jar = file("-jni", ".jar");
    byte[] right = Files.exists(jar) ? Files.readAllBytes(jar) : new byte[0];
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (Path.of(entry.getName()).endsWith(jar.getFileName())
            && Arrays.equals(zip.getInputStream(entry).readAllBytes(), right)) {
          return;
        }
      }
    }
    report(archive, "has no " + jar.getFileName() + " inside that is the one of this bundle");
  }

  /** Each has a name of its own; the rest may be that of its parent, which is published as well. */
  private void checkPom(Path file) throws Exception {
    Document pom = parsed(file);
    String parent = text(pom, "parent/artifactId");
    if (!parent.isEmpty() && !parent.equals(NAME)) {
      report(file, "has the parent " + parent + ", which is not published");
    }
    Document above = parent.isEmpty() || !Files.exists(top()) ? null : parsed(top());
    for (String element : ELEMENTS) {
      boolean inherited =
          above != null && !element.equals("name") && !text(above, element).isEmpty();
      if (!inherited && text(pom, element).isEmpty()) {
        report(file, "has no " + element);
      }
    }
  }

  private static Document parsed(Path pom) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
  }

  private static String text(Document pom, String path) throws XPathExpressionException {
    return XPathFactory.newInstance().newXPath().evaluate("/project/" + path, pom).strip();
  }
}
