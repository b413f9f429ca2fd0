import type { PassageTemplate, Slot, Template } from './read-passages.ts';
import { sentencesOf } from './read-passages.ts';
import type { Random } from './seeded.ts';
import type { Spellings } from './spellings.ts';
import { varyValue } from './vary-value.ts';

export interface AnswerCase {
  readonly degree: 1 | 2 | 3;
  readonly answer: string;
  /** The first is the one that the answer is made of. */
  readonly passages: readonly string[];
  readonly figures: number;
  /** Where the wrong figure stands; undefined in a right answer. */
  readonly wrong?: {
    readonly from: number;
    readonly to: number;
    readonly kind: string;
    readonly isElsewhere: boolean;
  };
}

export interface CaseSource {
  readonly templates: readonly PassageTemplate[];
  readonly random: Random;
  readonly spellings: Spellings;
  /** How passages are written. */
  readonly passageSpellings: Spellings;
  /** `t` or `h`, behind the degree of an answer. */
  readonly set: 't' | 'h';
}

const DISTRACTORS = 7;

/** The answers of one round over all passages: each right, and each with one figure that is wrong. */
export function* casesOf(source: CaseSource, round: number): Generator<AnswerCase> {
  const { templates, random, set } = source;
  // The first round has the values of the file, the others have values near them.
  const valued = templates.map(template => ({
    ...template,
    slots: template.slots.map(slot => (round === 0 ? slot : vary(slot, random))),
  }));
  const texts = valued.map(({ text, slots }) => write(text, slots, source.passageSpellings, random).text);
  for (const [at, { text, slots, answers }] of valued.entries()) {
    const others = pickOthers(valued.length, at, random);
    const passages = [at, ...others].map(index => texts[index] ?? '');
    const known = [slots, ...others.map(index => valued[index]?.slots ?? [])].flat();
    const templatesOf = (mark: string) =>
      answers.filter(answer => answer.mark === mark).map(each => each.text);
    const degrees = [sentencesOf(text), templatesOf(`2${set}`), templatesOf(`3${set}`)];
    for (const [index, list] of degrees.entries()) {
      for (const template of list) {
        const base = { degree: (index + 1) as 1 | 2 | 3, passages };
        const right = write(template, slots, source.spellings, random);
        yield { ...base, answer: right.text, figures: right.places.length };
        yield { ...base, ...withWrongFigure(template, slots, known, source) };
      }
    }
  }
}

function vary(slot: Slot, random: Random): Slot {
  return { ...slot, value: varyValue(slot.kind, slot.value, random) };
}

function pickOthers(count: number, own: number, random: Random): number[] {
  const others = new Set<number>();
  while (others.size < DISTRACTORS) {
    const other = random.below(count);
    if (other !== own) others.add(other);
  }
  return [...others];
}

function withWrongFigure(
  template: Template,
  slots: readonly Slot[],
  known: readonly Slot[],
  { random, spellings }: CaseSource,
) {
  const used = template.filter(piece => typeof piece === 'number');
  const wrongSlot = random.pick(used);
  const slot = slots[wrongSlot] as Slot;
  let changed = vary(slot, random);
  while (changed.value === slot.value) changed = vary(slot, random);
  const changedSlots = slots.map((each, at) => (at === wrongSlot ? changed : each));
  const { text, places } = write(template, changedSlots, spellings, random);
  const place = places.find(({ slot }) => slot === wrongSlot) as Place;
  const numbers = new Set(known.flatMap(numbersOf));
  const isElsewhere = numbersOf(changed).some(number => numbers.has(number));
  return {
    answer: text,
    figures: places.length,
    wrong: { from: place.from, to: place.to, kind: slot.kind, isElsewhere },
  };
}

/** What a slot says, so that a wrong value that another figure of the passages has is told apart. */
function numbersOf({ kind, value }: Slot): string[] {
  if (kind === 'e' || kind === 'u' || kind === 'f') return [value];
  if (kind === 'd' || kind === 'dm') {
    const year = kind === 'd' ? [`number ${value.slice(0, 4)}`] : [];
    return [`date ${value.slice(-5)}`, `day ${Number(value.slice(-2))}`, ...year];
  }
  if (kind === 'day') return [`day ${Number(value)}`];
  if (kind === 't') {
    const [hour = 0, minute = 0] = value.split(':').map(Number);
    return [`minutes ${60 * hour + minute}`, ...(minute === 0 ? [`number ${hour}`] : [])];
  }
  const [dimension, factor] = UNITS[kind] ?? [];
  const number = `number ${Number(value)}`;
  return dimension === undefined ? [number] : [number, `${dimension} ${Number(value) * (factor ?? 1)}`];
}

const UNITS: Readonly<Record<string, readonly [dimension: string, factor: number]>> = {
  min: ['minutes', 1],
  horas: ['minutes', 60],
  dias: ['minutes', 1_440],
  meses: ['months', 1],
  sem: ['months', 6],
  anos: ['months', 12],
};

interface Place {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

function write(template: Template, slots: readonly Slot[], spellings: Spellings, random: Random) {
  let text = '';
  const places: Place[] = [];
  for (const piece of template) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const written = spell(slots[piece] as Slot, spellings, random);
    places.push({ slot: piece, from: text.length, to: text.length + written.length });
    text += written;
  }
  return { text, places };
}

function spell({ kind, value }: Slot, spellings: Spellings, random: Random): string {
  const possible = (spellings[kind] ?? []).flatMap(write => write(value) ?? []);
  return random.pick(possible.length > 0 ? possible : [value.replace('.', ',')]);
}
