import type { Figure, Meaning } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import type { Token } from '../../../text/figures/tokens.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { contentStemOf } from './content-stem.ts';
import { type FigurePlaces, stemsNear } from './figure-places.ts';
import type { Ground } from './read-ground.ts';
import { keysOf } from './support.ts';

/*
 * Whether a figure of an answer is that of another statement. It is compared with each figure of the passages that might
 * stand in its place, by the words near both. Where one with another value is clearly nearer than each with the same value,
 * that is what the answer speaks of.
 */

interface Candidate {
  readonly keys: ReadonlySet<string>;
  readonly near: () => ReadonlyMap<string, number>;
}

/** More of one kind are a table of many rows, in which no statement is clearly meant. */
const MAX_OF_KIND = 256;
/** Of an answer. */
const MAX_COMPARED = 200;
/** How much nearer the other statement has to be. */
const CLEARLY = 1.25;
const LEAST = 0.35;
/** A sentence with fewer words of its own answers in the words of the question. */
const LEAST_OWN_WORDS = 2;

export function makeElsewhere(question: string, weightOf: (stem: string) => number) {
  const byKind = new Map<string, Candidate[]>();
  const asked = stemsAsked(question);
  let left = MAX_COMPARED;

  function nearness(words: ReadonlyMap<string, number>, { near }: Candidate): number {
    let sum = 0;
    const other = near();
    for (const [stem, nearby] of words) sum += weightOf(stem) * nearby * (other.get(stem) ?? 0);
    return sum;
  }
  return {
    addPassage({ figures, nearAt }: Pick<Ground, 'figures' | 'nearAt'>): void {
      for (const [index, { keys, kinds }] of figures.entries()) {
        const candidate = { keys, near: () => nearAt(index) };
        for (const kind of kinds) {
          const list = byKind.get(kind) ?? [];
          if (list.length <= MAX_OF_KIND) list.push(candidate);
          byKind.set(kind, list);
        }
      }
    },
    /** `places` are those of the answer, `index` the figure in them. */
    isElsewhere(places: FigurePlaces, index: number): boolean {
      const figure = places.figures[index]?.figure;
      const candidates = figure ? (byKind.get(kindOf(figure)) ?? []) : [];
      if (!figure || candidates.length > MAX_OF_KIND || left-- <= 0) return false;
      const own = stemsNear(places, index);
      const words = own.size < LEAST_OWN_WORDS ? join(own, asked) : own;
      const keys = keysOf(figure);
      let [same, other] = [0, 0];
      for (const candidate of candidates) {
        const value = nearness(words, candidate);
        if (keys.some(key => candidate.keys.has(key))) same = Math.max(same, value);
        else other = Math.max(other, value);
      }
      const whole = [...words].reduce((sum, [stem, near]) => sum + weightOf(stem) * near * near, 0);
      return other > CLEARLY * same && other > LEAST * whole;
    },
  };
}

function join(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) {
  const joined = new Map(other);
  for (const [stem, near] of one) joined.set(stem, Math.max(near, joined.get(stem) ?? 0));
  return joined;
}

const ASKING = new Set('quanto quanta quantos quantas qual quais quando que when how what which'.split(' '));
const MAX_QUESTION = 2_000;
const HALF_DISTANCE = 6;

/** The words of the question by how near they are to the word that asks. */
export function stemsAsked(question: string): ReadonlyMap<string, number> {
  const { tokens } = findFigures(foldInPlace(question.slice(0, MAX_QUESTION)));
  const asking = tokens.findIndex(({ text }) => ASKING.has(text));
  const near = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    const stem = contentStemOf(token as Token);
    if (stem === undefined) continue;
    const nearness = asking < 0 ? 0.7 : 1 / (1 + (Math.abs(at - asking) - 1) / HALF_DISTANCE);
    near.set(stem, Math.max(near.get(stem) ?? 0, nearness));
  }
  return near;
}

/** Of what kind others are that might stand in its place. */
function kindOf({ meanings }: Figure): string {
  const [first] = meanings;
  if (first?.type === 'count' && (first.of === 'alone' || first.of === 'nothing')) return 'any';
  const count = meanings.find(({ type }) => type === 'count');
  if (first?.type === 'date' && count) return kindOf({ meanings: [count] } as Figure);
  return first ? nameOf(first) : '';
}

/** The kinds of a figure of a passage. */
export function kindsOf({ meanings }: Figure): string[] {
  const kinds = new Set(meanings.map(nameOf));
  const isNumber = meanings.some(({ type }) => !NO_NUMBERS.has(type));
  return isNumber ? [...kinds, 'any'] : [...kinds];
}

const NO_NUMBERS: ReadonlySet<Meaning['type']> = new Set(['phone', 'email', 'url', 'code', 'date', 'term']);

function nameOf(meaning: Meaning): string {
  if (meaning.type === 'quantity') return meaning.dimension;
  if (meaning.type === 'term') return 'date';
  return meaning.type === 'count' && meaning.of === 'order' ? 'count' : meaning.type;
}
