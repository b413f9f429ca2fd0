import { type AskedKind, offeredKindsOf } from '../../../text/asked-kind.ts';
import { foldText, plainLetters } from '../../../text/fold.ts';
import { splitFolded } from '../../../text/sentences.ts';
import { isSpecific, readAddresses, wordsOf } from '../../../text/words.ts';
import { type QueryIndex, type QueryTerm, queryIndexOf } from './query-index.ts';

/*
 * BM25 over four kinds of terms: stems, 4-grams (for inflections that the stemmer misses, compounds and
 * misspellings), neighbouring stem pairs, and the best single sentence, because an answer is usually in one place: best is
 * one that has all of the question.
 * When a price, time, contact or number is asked for, a sentence that has it scores higher, and so does its passage; when
 * things are counted ("quantos semestres"), one that says how many; when it is asked what something is, one that begins
 * with it. The rarity of stems comes from all readable chunks, the rarity of 4-grams and pairs from the candidates.
 */

const CONCEPTS = 1;
const GRAMS = 0.3;
const PAIRS = 0.5;
const SENTENCE = 0.5;
/** How much more a sentence counts that has all the question's words than one that repeats a few. */
const WITH_ALL = 0.7;
const WITH_KIND = 2.5;
const WITH_NUMBER = 1.3;
const WITH_COUNT = 1.4;
const PASSAGE_WITH_KIND = 1.15;

export interface RankedQuery {
  readonly terms: readonly QueryTerm[];
  readonly asksFor?: AskedKind | undefined;
  /** The noun of "quantos alunos". */
  readonly countedNoun?: string | undefined;
}

/** Returns relevance scores, comparable only with one another. Works in steps: 80 long passages take half a second. */
export function* rankPassages(
  { terms, asksFor, countedNoun }: RankedQuery,
  passages: readonly string[],
): Generator<void, number[]> {
  const query = queryIndexOf(terms, countedNoun);
  const read: PassageCounts[] = [];
  for (const text of passages) {
    read.push(countPassageTerms(sentencesOf(text), query));
    yield;
  }
  const concepts = scorer(
    query.conceptWeights,
    read.map(passage => passage.concepts),
  );
  const grams = scorer(
    ...amongCandidates(
      query.gramWeights,
      read.map(passage => passage.grams),
    ),
  );
  const pairs = scorer(
    ...amongCandidates(
      query.pairWeights,
      read.map(passage => passage.pairs),
    ),
  );
  const sentence = scorer(
    query.conceptWeights,
    read.flatMap(passage => passage.sentences),
  );
  const shareIn = makeShareOf(query.conceptWeights);
  const bestSentence = (passage: PassageCounts) =>
    passage.sentences.reduce((best, of) => {
      const fit = sentence(of) * (1 + WITH_ALL * shareIn(of.counts));
      return Math.max(best, fit * kindFactorOf(of.kinds, asksFor) * (of.isCounted ? WITH_COUNT : 1));
    }, 0);
  const scores: number[] = [];
  for (const passage of read) {
    const whole =
      CONCEPTS * concepts(passage.concepts) + GRAMS * grams(passage.grams) + PAIRS * pairs(passage.pairs);
    const hasKind = asksFor && passage.sentences.some(({ kinds }) => kinds.includes(asksFor));
    scores.push((whole + SENTENCE * bestSentence(passage)) * (hasKind ? PASSAGE_WITH_KIND : 1));
    yield;
  }
  return scores;
}

/** Returns how much of the question stands in a passage, by the weight and rarity of its words: 1 where all of it does. */
export function coverageOf(terms: readonly QueryTerm[], passage: string): number {
  const { conceptWeights, hitOf } = queryIndexOf(terms);
  const found = zeros(conceptWeights.length);
  for (const word of sentencesOf(passage).flatMap(({ words }) => words)) {
    const { concept, strength } = hitOf(word);
    if (concept >= 0) found[concept] = Math.max(found[concept] ?? 0, strength);
  }
  return makeShareOf(conceptWeights)(found);
}

/** Returns the inverse document frequency of a term that `having` of `all` texts contain. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (Math.max(all - having, 0) + 0.5) / (having + 0.5));
}

function kindFactorOf(kinds: readonly AskedKind[], asksFor: AskedKind | undefined): number {
  if (!asksFor) return 1;
  if (kinds.includes(asksFor)) return WITH_KIND;
  return kinds.includes('number') ? WITH_NUMBER : 1;
}

function amongCandidates(
  weights: readonly number[],
  texts: readonly TermCounts[],
): [number[], readonly TermCounts[]] {
  const having = (term: number) => texts.filter(({ counts }) => (counts[term] ?? 0) > 0).length;
  return [weights.map((weight, term) => weight * rarityOf(having(term), texts.length)), texts];
}

const SATURATION = 0.7;
const BY_LENGTH = 0.75;

function scorer(weights: readonly number[], texts: readonly TermCounts[]): (text: TermCounts) => number {
  const mean = texts.reduce((sum, { size }) => sum + size, 0) / (texts.length || 1) || 1;
  return ({ counts, size }) => {
    const dampening = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * size) / mean);
    let sum = 0;
    for (let term = 0; term < counts.length; term += 1) {
      const count = counts[term] ?? 0;
      if (count > 0) sum += ((weights[term] ?? 0) * count * (SATURATION + 1)) / (count + dampening);
    }
    return sum;
  };
}

/** Returns the part of the query that a text with these counts has, by weight. */
function makeShareOf(weights: readonly number[]): (counts: readonly number[]) => number {
  const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0);
  const all = sumOf(weights) || 1;
  return counts => sumOf(weights.map((weight, at) => weight * Math.min(counts[at] ?? 0, 1))) / all;
}

/** The count of each query term, and the number of all terms. */
interface TermCounts {
  readonly counts: readonly number[];
  readonly size: number;
}

interface PassageCounts {
  readonly concepts: TermCounts;
  readonly grams: TermCounts;
  readonly pairs: TermCounts;
  readonly sentences: readonly (TermCounts & {
    readonly kinds: Sentence['kinds'];
    readonly isCounted: boolean;
  })[];
}

function countPassageTerms(sentences: readonly Sentence[], query: QueryIndex): PassageCounts {
  const concepts = zeros(query.conceptWeights.length);
  const headings = zeros(concepts.length);
  const grams = zeros(query.gramWeights.length);
  const pairs = zeros(query.pairWeights.length);
  let gramCount = 0;
  let before = -1;
  const read = sentences.map(({ words, kinds, subject, isHeading }) => {
    // A sentence is about what the headings above it say.
    const counts = isHeading ? zeros(concepts.length) : headings.map(count => Math.min(count, 1));
    let isCounted = false;
    let last = '';
    for (const word of words) {
      const hit = query.hitOf(word);
      const { concept, strength } = hit;
      gramCount += hit.gramCount;
      for (const gram of hit.grams) add(grams, gram);
      if (concept >= 0) {
        add(concepts, concept, strength);
        add(counts, concept, strength);
        if (isHeading) add(headings, concept, strength);
        const pair = before < 0 ? undefined : query.pairOf(before, concept);
        if (pair !== undefined) add(pairs, pair);
        if (concept === query.counted && numeral.test(last)) isCounted = true;
      }
      before = concept;
      last = word;
    }
    const isOfSubject = subject.some(word => query.hitOf(word).concept >= 0);
    return {
      counts,
      size: words.length,
      kinds: isOfSubject ? kinds : kinds.filter(isNoDefinition),
      isCounted,
    };
  });
  const size = read.reduce((sum, sentence) => sum + sentence.size, 0);
  return {
    concepts: { counts: concepts, size },
    grams: { counts: grams, size: gramCount },
    pairs: { counts: pairs, size },
    sentences: read,
  };
}

/** Only a sentence that begins with the subject of the question defines it. */
function isNoDefinition(kind: AskedKind): boolean {
  return kind !== 'definition';
}

const numeral =
  /^(?:\d|uma?$|dois|duas|tres$|quatro$|cinco$|seis$|sete$|oito$|nove$|dez|vinte$|trinta$|(?:quar|cinqu|sess|set|oit|nov)enta$|cem$|duzent|trezent|mil$)/;

function zeros(length: number): number[] {
  // Ten times as fast as a list that is made with a function, and made for each sentence.
  return Array<number>(length).fill(0);
}

function add(counts: number[], index: number, count = 1): void {
  counts[index] = (counts[index] ?? 0) + count;
}

interface Sentence {
  /** Its specific words, normalized. */
  readonly words: readonly string[];
  /** The kinds of information in it that a question may ask for. */
  readonly kinds: readonly AskedKind[];
  /** The word that it begins with, and the short name beside it in brackets. */
  readonly subject: readonly string[];
  readonly isHeading: boolean;
}

/** The cached characters take about 25 MB of memory. */
const MAX_CHARACTERS = 2_000_000;
/** The rest of a longer text counts as one sentence. */
const MAX_SENTENCES = 200;
const remembered = new Map<string, readonly Sentence[]>();
let charactersRemembered = 0;

/**
 * The sentences of a passage with specific words; a line of a list or table counts as one. Cached, because the same
 * passages are candidates repeatedly.
 */
export function sentencesOf(text: string): readonly Sentence[] {
  const known = remembered.get(text);
  if (known) return known;
  if (charactersRemembered > MAX_CHARACTERS) {
    remembered.clear();
    charactersRemembered = 0;
  }
  const sentences = read(text);
  remembered.set(text, sentences);
  charactersRemembered += text.length;
  return sentences;
}

/** A heading of Markdown, or a line that is all bold. */
const heading = /^(?:#{1,6} |\*\*[^*]{1,100}\*\*$)/;

const shortName = /^[^.;:]{2,90}\(([a-z -]{2,20})\)/;

function read(text: string): Sentence[] {
  return splitFolded(foldText(plainLetters(text)), MAX_SENTENCES)
    .map((sentence, at, all) => {
      const { text: said, hosts } = readAddresses(sentence);
      return { said, hosts, words: wordsOf(said).filter(isSpecific).concat(hosts), next: all[at + 1] ?? '' };
    })
    .filter(({ words }) => words.length > 0)
    .map(({ said, hosts, words, next }) => ({
      words,
      kinds: hosts.length > 0 ? [...offeredKindsOf(said), 'contact' as const] : offeredKindsOf(said),
      isHeading: heading.test(said) || next.startsWith('| ---'),
      subject: [...words.slice(0, 1), ...wordsOf(shortName.exec(said)?.[1] ?? '')],
    }));
}
