import { generalityOf } from '../../../text/query-words.ts';
import type { Span } from '../../../text/sentences.ts';
import {
  type Claim,
  type Difference,
  findDifference,
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
  readonly places: readonly [Place, Place];
  /** The number of pairs of passages: more than one of versions only. */
  readonly pairs: number;
}

interface Pair extends Difference {
  readonly one: Passage;
  readonly other: Passage;
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
}

/** Finds the contradictions between passages. Yields after each, so that the caller can pause. */
export function* findContradictions(
  passages: readonly Passage[],
  { isAsked = () => true, mayMeet = () => true }: Choice = {},
): Generator<void, Contradiction[]> {
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
  for (const [stem, { length }] of byStem)
    weights.set(stem, generalityOf(stem) * Math.log((subjects.length + SMOOTHING) / (length + 1)));
  const weightOf = (stem: string) => weights.get(stem) ?? 0;
  const asked = passages.map(({ id }) => isAsked(id));
  const findCandidates = makeCandidates(byStem, weightOf, subjects.length);
  const pairs: Pair[] = [];
  const compared = new Set<number>();
  for (const [number, one] of passages.entries()) {
    const subject = subjects[number];
    if (!asked[number] || !subject) continue;
    const candidates = findCandidates(subject, other => other !== number && mayMeet(number, other));
    const near = [subject, ...candidates.flatMap(at => subjects[at] ?? [])];
    for (const at of candidates) {
      const [other, its] = [passages[at], subjects[at]];
      const pair = Math.min(number, at) * subjects.length + Math.max(number, at);
      if (!other || !its || compared.has(pair)) continue;
      compared.add(pair);
      const difference = findDifference(subject, its, weightOf);
      if (difference && !isSaidByBoth(difference, near, weightOf)) pairs.push({ ...difference, one, other });
    }
    yield;
  }
  return tellVersionsOnce(withoutTemplates(pairs));
}

/** Whoever says both of it means two things: a passage near them, of the one's document, says what the other says, too. */
function isSaidByBoth(
  { claims, likeness }: Difference,
  near: readonly Subject[],
  weightOf: WeightOf,
): boolean {
  return claims.some((claim, at) => {
    const documentId = claims[1 - at]?.documentId;
    return (
      documentId !== undefined &&
      documentId !== claim.documentId &&
      near.some(each => each.documentId === documentId && says(each, claim, likeness, weightOf))
    );
  });
}

/** A document that says one thing in three passages with several values has a sentence that it repeats for each of several things. */
function withoutTemplates(pairs: readonly Pair[]): Pair[] {
  const inside = (pair: Pair) => pair.one.documentId !== undefined && documentsOf(pair) === '';
  const counts = new Map<string, number>();
  for (const pair of pairs.filter(inside))
    for (const { id } of [pair.one, pair.other]) counts.set(id, (counts.get(id) ?? 0) + 1);
  return pairs.filter(
    pair => !inside(pair) || [pair.one, pair.other].every(({ id }) => counts.get(id) === 1),
  );
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
    if (!isVersions) return its.filter(({ isOtherYear }) => !isOtherYear).map(pair => toContradiction(pair));
    const clearest = its.reduce((best, pair) => (pair.likeness > best.likeness ? pair : best));
    return [{ ...toContradiction(clearest), kind: 'versions', pairs: its.length }];
  });
}

/** Empty for passages of one document, or of none. */
function documentsOf({ one, other }: Pair): string {
  if (one.documentId === undefined || other.documentId === undefined) return '';
  return one.documentId === other.documentId ? '' : [one.documentId, other.documentId].toSorted().join(' ');
}

function toContradiction({ kind, likeness, one, other, claims }: Pair): Contradiction {
  const placeOf = ({ id }: Passage, { statement: { from, to }, mark }: Claim) => ({
    id,
    sentence: { from, to },
    mark,
  });
  return { kind, likeness, places: [placeOf(one, claims[0]), placeOf(other, claims[1])], pairs: 1 };
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
        if (!isWanted(other)) continue;
        if (shared[other] === 0) touched.push(other);
        shared[other] = (shared[other] ?? 0) + weight;
      }
    const nearest = touched.toSorted((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0)).slice(0, MAX_CANDIDATES);
    for (const other of touched) shared[other] = 0;
    return nearest;
  };
}
