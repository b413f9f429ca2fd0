import { generalityOf } from '../../../text/query-words.ts';
import type { Span } from '../../../text/sentences.ts';
import {
  type Claim,
  type Difference,
  findDifference,
  makeNears,
  type Subject,
  says,
  toSubject,
} from './compare-statements.ts';
import { readPassage } from './read-statements.ts';
import type { WeightOf } from './subjects.ts';

export interface Passage {
  readonly id: string;
  readonly content: string;
  readonly documentId?: string | undefined;
}

export interface Place {
  readonly id: string;
  readonly sentence: Span;
  readonly mark: Span;
}

/** Two passages of which one states what the other states otherwise; or two versions of one document, with the clearest example. */
export interface Contradiction {
  readonly kind: Difference['kind'] | 'versions';
  readonly likeness: number;
  readonly passages: readonly [Passage, Passage];
  readonly places: readonly [Place, Place];
  /** The number of pairs of passages: more than one of versions only. */
  readonly pairs: number;
}

/** Two passages that state something otherwise. Nothing of them is told before all pairs of their documents are known. */
export interface Pair extends Contradiction {
  /** They are of two years, so that only versions of a document contradict each other in it. */
  readonly isOtherYear: boolean;
}

/** How many passages there are, and how many of them have a stem. */
export interface Frequencies {
  readonly size: number;
  countOf(stem: string): number;
}

/** A stem that more passages have tells little; passages are found by the others. */
const MAX_POSTINGS = 300;
const MAX_CANDIDATES = 24;
const SMOOTHING = 20;

/** A passage is looked for by so many of its rarest stems. */
const MAX_KEYS = 24;

interface Choice {
  /** Others are only compared with these. */
  readonly isAsked?: (id: string) => boolean;
  /** Whether a person may be given both, by their places in the list. */
  readonly mayMeet?: (one: number, other: number) => boolean;
  /** Of all passages of the host, where these are a few of them. */
  readonly frequencies?: Frequencies;
}

/** Finds the contradictions between passages. Yields after each, so that the caller can pause. */
export function* findContradictions(
  passages: readonly Passage[],
  choice: Choice = {},
): Generator<void, Contradiction[]> {
  return tellPairs(yield* findPairs(passages, choice));
}

/** Counts the stems of passages that stand for `size` passages. */
export function* countStems(passages: readonly Passage[], size: number): Generator<void, Frequencies> {
  const counts = new Map<string, number>();
  for (const { content } of passages) {
    for (const stem of readPassage(content).stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    yield;
  }
  const share = size / Math.max(1, passages.length);
  return { size, countOf: stem => share * (counts.get(stem) ?? 0) };
}

export function* findPairs(
  passages: readonly Passage[],
  { isAsked = () => true, mayMeet = () => true, frequencies }: Choice = {},
): Generator<void, Pair[]> {
  const subjects: Subject[] = [];
  const byStem = new Map<string, number[]>();
  for (const [number, { content, documentId }] of passages.entries()) {
    const subject = toSubject(readPassage(content), documentId);
    subjects.push(subject);
    for (const stem of subject.read.stems) {
      const list = byStem.get(stem);
      if (list) list.push(number);
      else byStem.set(stem, [number]);
    }
    yield;
  }
  const weights = new Map<string, number>();
  const size = frequencies?.size ?? subjects.length;
  for (const [stem, { length }] of byStem) {
    const count = Math.max(length, frequencies?.countOf(stem) ?? 0);
    weights.set(stem, generalityOf(stem) * Math.log((size + SMOOTHING) / (count + 1)));
  }
  const weightOf = (stem: string) => weights.get(stem) ?? 0;
  const asked = passages.map(({ id }) => isAsked(id));
  const findCandidates = makeCandidates(byStem, weightOf, subjects.length);
  const pairs: Pair[] = [];
  const compared = new Set<number>();
  for (const [number, one] of passages.entries()) {
    const subject = subjects[number];
    if (!asked[number] || !subject) continue;
    const candidates = findCandidates(subject, other => other !== number && mayMeet(number, other));
    const near = () => [subject, ...candidates.flatMap(at => subjects[at] ?? [])];
    const nearOfValue = makeNears();
    for (const at of candidates) {
      const [other, its] = [passages[at], subjects[at]];
      const pair = Math.min(number, at) * subjects.length + Math.max(number, at);
      if (!other || !its || compared.has(pair)) continue;
      compared.add(pair);
      const difference = findDifference(subject, its, weightOf, nearOfValue);
      if (difference && !isSaidByBoth(difference, near(), weightOf))
        pairs.push(toPair(difference, one, other));
    }
    yield;
  }
  return pairs;
}

export function tellPairs(pairs: readonly Pair[]): Contradiction[] {
  return tellVersionsOnce(withoutTemplates(pairs));
}

/** Whoever says both of it means two things: a passage near them, of the one's document, says what the other says, too. */
function isSaidByBoth(
  { claims, likeness }: Difference,
  near: readonly Subject[],
  weightOf: WeightOf,
): boolean {
  return claims.some((claim, at) => {
    const rival = claims[1 - at];
    const documentId = rival?.documentId;
    return (
      rival !== undefined &&
      documentId !== undefined &&
      documentId !== claim.documentId &&
      near.some(each => each.documentId === documentId && says(each, claim, rival, likeness, weightOf))
    );
  });
}

/** A document that says one thing in three passages with several values has a sentence that it repeats for each of several things. */
function withoutTemplates(pairs: readonly Pair[]): Pair[] {
  const inside = ({ passages: [one, other] }: Pair) =>
    one.documentId !== undefined && one.documentId === other.documentId;
  const counts = new Map<string, number>();
  for (const pair of pairs.filter(inside))
    for (const { id } of pair.passages) counts.set(id, (counts.get(id) ?? 0) + 1);
  return pairs.filter(pair => !inside(pair) || pair.passages.every(({ id }) => counts.get(id) === 1));
}

/** So many contradicting passages of two documents make them versions of one. */
const MIN_VERSION_PAIRS = 3;

/** Last year's edital beside this year's contradicts it in each date: whoever keeps them wants to be told once. */
function tellVersionsOnce(pairs: readonly Pair[]): Contradiction[] {
  const ofDocuments = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const documents = documentsOf(pair);
    const list = ofDocuments.get(documents) ?? [];
    list.push(pair);
    ofDocuments.set(documents, list);
  }
  return [...ofDocuments].flatMap(([documents, its]) => {
    const isVersions = documents !== '' && its.length >= MIN_VERSION_PAIRS;
    if (!isVersions) return its.filter(({ isOtherYear }) => !isOtherYear);
    const clearest = its.reduce((best, pair) => (pair.likeness > best.likeness ? pair : best));
    return [{ ...clearest, kind: 'versions', pairs: its.length }];
  });
}

/** Empty for passages of one document, or of none. */
function documentsOf({ passages: [one, other] }: Pair): string {
  if (one.documentId === undefined || other.documentId === undefined) return '';
  return one.documentId === other.documentId ? '' : [one.documentId, other.documentId].toSorted().join(' ');
}

function toPair({ kind, likeness, claims, isOtherYear }: Difference, one: Passage, other: Passage): Pair {
  const placeOf = ({ id }: Passage, { statement: { from, to }, mark }: Claim) => ({
    id,
    sentence: { from, to },
    mark,
  });
  const places = [placeOf(one, claims[0]), placeOf(other, claims[1])] as const;
  return { kind, likeness, passages: [one, other], places, pairs: 1, isOtherYear };
}

/** Finds the passages that share most with one, by its rare stems; a passage with none of its values is none. */
function makeCandidates(byStem: ReadonlyMap<string, readonly number[]>, weightOf: WeightOf, size: number) {
  const shared = new Float32Array(size);
  return function findCandidates({ read }: Subject, isWanted: (other: number) => boolean): number[] {
    const touched: number[] = [];
    const keys = [...read.stems]
      .map(stem => ({ weight: weightOf(stem), list: byStem.get(stem) ?? [] }))
      .filter(({ list }) => list.length > 1 && list.length <= MAX_POSTINGS)
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MAX_KEYS);
    for (const { weight, list } of keys)
      for (const other of list) {
        if (shared[other] === 0) {
          if (!isWanted(other)) continue;
          touched.push(other);
        }
        shared[other] = (shared[other] ?? 0) + weight;
      }
    const nearest = touched.toSorted((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0)).slice(0, MAX_CANDIDATES);
    for (const other of touched) shared[other] = 0;
    return nearest;
  };
}
