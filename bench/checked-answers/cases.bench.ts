import type { PassageTemplate, Slot, Template } from './read-passages.bench.ts';
import { sentencesOf } from './read-passages.bench.ts';
import type { Random } from './seeded.bench.ts';
import type { Spellings } from './spellings.bench.ts';
import { varyValue } from './vary-value.bench.ts';

export interface AnswerCase {
  /** 1 to 3 for a sentence, 4 for a figure that is the whole answer. */
  readonly degree: 1 | 2 | 3 | 4;
  readonly question: string;
  readonly answer: string;
  /** The answer is made of the first one. */
  readonly passages: readonly string[];
  readonly figures: number;
  /** The position of the wrong figure; undefined in a right answer. */
  readonly wrong?: {
    readonly from: number;
    readonly to: number;
    readonly kind: string;
    /** Whether some passage has the value by chance. */
    readonly isElsewhere: boolean;
    /** Whether it was taken from another statement. */
    readonly isMoved: boolean;
  };
}

export interface CaseSource {
  readonly templates: readonly PassageTemplate[];
  readonly random: Random;
  readonly spellings: Spellings;
  /** The spellings in passages. */
  readonly passageSpellings: Spellings;
  readonly bareSpellings: Spellings;
  /** This many adjacent passages are given together; without it, others are picked. */
  readonly group?: number;
  /** `t` or `h`, which follows the degree of an answer. */
  readonly set: 't' | 'h';
}

const DISTRACTORS = 7;

/** The answers of one round over all passages: each once right, and once with one wrong figure. */
export function* casesOf(source: CaseSource, round: number): Generator<AnswerCase> {
  const { templates, random, set } = source;
  // The first round has the values of the file, the others have similar values.
  const valued = templates.map(template => ({
    ...template,
    slots: template.slots.map(slot => (round === 0 ? slot : vary(slot, random))),
  }));
  const texts = valued.map(({ text, slots }) => write(text, slots, source.passageSpellings, random).text);
  for (const [at, { text, slots, answers, questions }] of valued.entries()) {
    const others = source.group
      ? groupOf(at, source.group, valued.length)
      : pickOthers(valued.length, at, random);
    const passages = [at, ...others].map(index => texts[index] ?? '');
    const known = [slots, ...others.map(index => valued[index]?.slots ?? [])].flat();
    const templatesOf = (mark: string) =>
      answers.filter(answer => answer.mark === mark).map(each => each.text);
    const degrees = [sentencesOf(text), templatesOf(`2${set}`), templatesOf(`3${set}`)];
    for (const [index, list] of degrees.entries()) {
      for (const template of list) {
        const base = { degree: (index + 1) as 1 | 2 | 3, question: '', passages };
        yield* casesOfTemplate(base, { template, slots, known, spellings: source.spellings, random });
      }
    }
    for (const { slot, text: question } of questions.filter(({ mark }) => mark === `q${set}`)) {
      const base = { degree: 4 as const, question, passages };
      const template = [slot];
      yield* casesOfTemplate(base, { template, slots, known, spellings: source.bareSpellings, random });
    }
  }
}

interface Writing {
  readonly template: Template;
  readonly slots: readonly Slot[];
  /** The slots of all passages. */
  readonly known: readonly Slot[];
  readonly spellings: Spellings;
  readonly random: Random;
}

/** Yields a right answer, one with an invented value, and one with a value of another statement. */
function* casesOfTemplate(
  base: Pick<AnswerCase, 'degree' | 'question' | 'passages'>,
  writing: Writing,
): Generator<AnswerCase> {
  const { template, slots, known, spellings, random } = writing;
  const right = write(template, slots, spellings, random);
  yield { ...base, answer: right.text, figures: right.places.length };
  const wrongSlot = random.pick(template.filter(piece => typeof piece === 'number'));
  const slot = slots[wrongSlot] as Slot;
  let changed = vary(slot, random);
  while (changed.value === slot.value) changed = vary(slot, random);
  yield { ...base, ...withSlot(writing, wrongSlot, changed, false) };
  const others = known.filter(({ kind, value }) => kind === slot.kind && value !== slot.value);
  if (others.length > 0) yield { ...base, ...withSlot(writing, wrongSlot, random.pick(others), true) };
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

function groupOf(at: number, size: number, count: number): number[] {
  const first = at - (at % size);
  return Array.from({ length: Math.min(size, count - first) }, (_, each) => first + each).filter(
    each => each !== at,
  );
}

function withSlot(
  { template, slots, known, spellings, random }: Writing,
  wrongSlot: number,
  changed: Slot,
  isMoved: boolean,
) {
  const changedSlots = slots.map((each, at) => (at === wrongSlot ? changed : each));
  const { text, places } = write(template, changedSlots, spellings, random);
  const place = places.find(({ slot }) => slot === wrongSlot) as Place;
  const numbers = new Set(known.flatMap(numbersOf));
  const isElsewhere = numbersOf(changed).some(number => numbers.has(number));
  return {
    answer: text,
    figures: places.length,
    wrong: { from: place.from, to: place.to, kind: changed.kind, isElsewhere, isMoved },
  };
}

/** The numbers in a slot; they tell a wrong value apart that another figure of the passages has. */
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
