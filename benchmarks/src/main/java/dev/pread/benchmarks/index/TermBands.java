/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.util.BytesRef;

/**
 * A sample of a field's terms in three bands of document frequency: a query's cost goes with the
 * length of its postings, and most terms of a text are too rare to cost anything.
 */
final class TermBands {
  static final int BANDS = 3;
  private static final int SAMPLE = 2_000;

  /** In at least this part of the documents. */
  private static final double HIGH = 0.02;

  /** In at least this part of the documents, and less than {@link #HIGH}. */
  private static final double MEDIUM = 0.001;

  /** In at least this part of the documents, and less than {@link #MEDIUM}. */
  private static final double LOW = 0.000_02;

  private final String field;
  private final List<List<BytesRef>> bands;
  private final SplittableRandom random;

  private TermBands(String field, List<List<BytesRef>> bands, SplittableRandom random) {
    this.field = field;
    this.bands = bands;
    this.random = random;
  }

  /** Goes through all terms of the field once. */
  static TermBands sample(IndexReader reader, String field, SplittableRandom random)
      throws IOException {
    List<Reservoir<BytesRef>> all = new ArrayList<>();
    for (int i = 0; i < BANDS; i++) {
      all.add(new Reservoir<>(SAMPLE, random.split()));
    }
    double docs = reader.maxDoc();
    TermsEnum iterator = MultiTerms.getTerms(reader, field).iterator();
    BytesRef term;
    while ((term = iterator.next()) != null) {
      double part = iterator.docFreq() / docs;
      if (part >= LOW) {
        BytesRef current = term;
        all.get(part >= HIGH ? 0 : part >= MEDIUM ? 1 : 2)
            .offer(() -> BytesRef.deepCopyOf(current));
      }
    }
    List<List<BytesRef>> bands =
        all.stream().map(Reservoir::sample).filter(band -> !band.isEmpty()).toList();
    return new TermBands(field, bands, random);
  }

  boolean isEmpty() {
    return bands.isEmpty();
  }

  /** The same terms, with a random sequence of its own. */
  TermBands drawnBy(SplittableRandom other) {
    return new TermBands(field, bands, other);
  }

  /** A term of a band, 0 being that of the most frequent; of another band if that one is empty. */
  Term any(int band) {
    List<BytesRef> terms = bands.get(Math.min(band, bands.size() - 1));
    return new Term(field, terms.get(random.nextInt(terms.size())));
  }

  /** Two terms of two bands, different ones if there are. */
  List<Term> pair(int first, int second) {
    Term one = any(first);
    Term other = any(second);
    for (int tries = 0; one.equals(other) && tries < 100; tries++) {
      other = any(tries % BANDS);
    }
    return List.of(one, other);
  }
}
