import { gramsOf, pairsOf, type Counted, passageTermsOf, type PassageTerms } from './passage-terms.ts';
import { stemOf } from './stem-of.ts';

/*
 * Four readings of a passage, each a sum over what it shares with the query, weighted by how rare that is (BM25):
 * its stems, its runs of four letters (for forms that the stemmer takes apart, compounds and misspellings), its pairs
 * of neighbouring stems, and the one sentence that fits best, for an answer stands in one place. How rare a stem is,
 * the caller knows of all that may be read; runs and pairs are compared among the candidates alone.
 */

/** A word of the query, folded, in the order in which they were said. */
export interface QueryTerm {
  readonly word: string;
  /** How rare its stem is among all that may be read, and how much was meant by it. */
  readonly weight: number;
}

const STEMS = 1;
const GRAMS = 0.2;
const PAIRS = 0.5;
const SENTENCE = 0.5;

/** How well each passage fits; only to be compared with one another. */
export function rankPassages(query: readonly QueryTerm[], passages: readonly string[]): number[] {
  const terms = passages.map(passageTermsOf);
  const stems = heaviest(query.map(({ word, weight }) => [stemOf(word), weight]));
  const grams = heaviest(
    query.flatMap(({ word, weight }) => gramsOf(word).map(gram => [gram, weight] as const)),
  );
  const pairs = heaviest(pairsOf(query.map(({ word }) => stemOf(word))).map(pair => [pair, 1]));
  const ofStems = scores(
    stems,
    terms.map(passage => passage.stems),
  );
  const ofGrams = scores(
    amongCandidates(grams, terms, 'grams'),
    terms.map(passage => passage.grams),
  );
  const ofPairs = scores(
    amongCandidates(pairs, terms, 'pairs'),
    terms.map(passage => passage.pairs),
  );
  const ofSentences = bestSentences(stems, terms);
  return passages.map(
    (_, at) =>
      STEMS * (ofStems[at] ?? 0) +
      GRAMS * (ofGrams[at] ?? 0) +
      PAIRS * (ofPairs[at] ?? 0) +
      SENTENCE * (ofSentences[at] ?? 0),
  );
}

/** How rare what `having` of `all` have is. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (Math.max(all - having, 0) + 0.5) / (having + 0.5));
}

type Weights = ReadonlyMap<string, number>;

function heaviest(weighed: readonly (readonly [term: string, weight: number])[]): Weights {
  const weights = new Map<string, number>();
  for (const [term, weight] of weighed) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  return weights;
}

/** The same terms by how rare they are among the candidates; what the query gave no weight keeps none. */
function amongCandidates(weights: Weights, terms: readonly PassageTerms[], kind: 'grams' | 'pairs'): Weights {
  return new Map(
    [...weights].map(([term, weight]) => {
      const having = terms.filter(passage => passage[kind].counts.has(term)).length;
      return [term, Math.min(1, weight) * rarityOf(having, terms.length)];
    }),
  );
}

function scores(weights: Weights, texts: readonly Counted[]): number[] {
  const mean = texts.reduce((sum, { size }) => sum + size, 0) / (texts.length || 1);
  return texts.map(text => score(weights, text, mean));
}

const SATURATION = 1.2;
const BY_LENGTH = 0.75;

function score(weights: Weights, { counts, size }: Counted, mean: number): number {
  const dampening = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * size) / (mean || 1));
  let sum = 0;
  for (const [term, weight] of weights) {
    const count = counts.get(term);
    if (count) sum += (weight * count * (SATURATION + 1)) / (count + dampening);
  }
  return sum;
}

function bestSentences(weights: Weights, terms: readonly PassageTerms[]): number[] {
  const sentences = terms.flatMap(passage => passage.sentences);
  const mean = sentences.reduce((sum, { size }) => sum + size, 0) / (sentences.length || 1);
  return terms.map(passage =>
    Math.max(0, ...passage.sentences.map(sentence => score(weights, sentence, mean))),
  );
}
