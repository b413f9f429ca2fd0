import { checkAnswer } from '../workers/domain/alignment/check-answer.ts';
import {
  heldOutBare,
  heldOutServices,
  tuningBare,
  tuningServices,
} from './checked-answers/bare-spellings.bench.ts';
import { type AnswerCase, type CaseSource, casesOf } from './checked-answers/cases.bench.ts';
import { readJudgedAnswers, readSourcedAnswers } from './checked-answers/judged-answers.bench.ts';
import { readPassages } from './checked-answers/read-passages.bench.ts';
import { listRealTexts, realCasesOf } from './checked-answers/real-texts.bench.ts';
import { makeRandom } from './checked-answers/seeded.bench.ts';
import { heldOutSpellings, type Spellings, tuningSpellings } from './checked-answers/spellings.bench.ts';

/*
 * Which wrong figures of answers are found, and which right ones are called wrong. Answers are made of passages by seed:
 * sentences of the passage with other spellings of its figures, other words and another order, sums of several sentences, and
 * figures that are the whole answer; each right, with a value of nowhere, and with one of another statement. Beside them stand
 * sentences of real texts, one digit of which is changed, and answers that a person wrote. The peer compares figures by their
 * characters. `--seed`, `--rounds`, `--show`; `--held-out` adds the half that was held out.
 */

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const SEED = option('seed', 20_261_123);
const ROUNDS = option('rounds', 12);
const SHOWN = option('show', 0);
const WANTED = {
  sentences: 0.99,
  bare: 0.98,
  moved: 0.95,
  falseAlarms: 0.005,
  ms: 2,
  precision: 0.97,
  recall: 0.95,
};
const SETS = process.argv.includes('--held-out') ? (['t', 'h'] as const) : (['t'] as const);
const NAMES = { t: 'tuned', h: 'held out' } as const;
const KINDS = ['', 'in other spellings', 'in other words', 'in sums', 'alone'] as const;

/** Every date in passages has its year. */
const passageSpellings: Spellings = {
  ...tuningServices,
  d: (tuningSpellings['d'] ?? []).filter(write => /27/.test(write('2027-03-14') ?? '')),
};

interface Share {
  of: number;
  part: number;
}

let failed = false;
for (const set of SETS) {
  const [spellings, services, bareSpellings] =
    set === 't'
      ? [tuningSpellings, tuningServices, tuningBare]
      : [heldOutSpellings, heldOutServices, heldOutBare];
  const base = { passageSpellings, bareSpellings, set };
  const university = { ...base, templates: readPassages('passages.md'), spellings };
  report(`university, ${NAMES[set]}`, generated(university));
  report(
    `services, ${NAMES[set]}`,
    generated({ ...base, templates: readPassages('services.md'), spellings: services, group: GROUP() }),
  );
  for (const [mark, name] of [
    ['p', 'paraphrases'],
    ['a', 'arithmetic'],
    ['w', 'wrong ones beside them'],
  ])
    report(
      `${name}, ${NAMES[set]}`,
      readJudgedAnswers(set).filter(each => each.mark === mark),
    );
  reportSources(set);
}
report('real texts, word for word', realCasesOf(listRealTexts(), makeRandom(SEED)));
reportTime();
process.exitCode = failed ? 1 : 0;

/** This many passages are of one service. */
function GROUP(): number {
  return 8;
}

function* generated(source: Omit<CaseSource, 'random'>): Generator<AnswerCase> {
  const random = makeRandom(SEED);
  for (let round = 0; round < ROUNDS; round += 1) yield* casesOf({ ...source, random }, round);
}

function check({ question, answer, passages }: Pick<AnswerCase, 'question' | 'answer' | 'passages'>) {
  const steps = checkAnswer(answer, { question, passages, hostTexts: [], others: [] });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Prints the counts, by degree. */
function report(name: string, cases: Iterable<AnswerCase>): void {
  const shares = new Map<string, Share>();
  let shown = 0;
  for (const each of cases) {
    const { unsupported } = check(each);
    const { wrong } = each;
    const isFound = wrong
      ? unsupported.some(figure => figure.from < wrong.to && figure.to > wrong.from)
      : unsupported.length > 0;
    const kind = KINDS[each.degree];
    const key = wrong
      ? `${kind}: ${wrong.isMoved ? 'moved' : wrong.isElsewhere ? 'by chance' : 'wrong'}`
      : `${kind}: right`;
    add(shares, key, isFound);
    add(
      shares,
      `peer ${wrong && !wrong.isMoved && !wrong.isElsewhere ? 'wrong' : wrong ? 'moved' : 'right'}`,
      peerFinds(each),
    );
    if (isFound === !wrong && wrong?.isElsewhere !== true && shown++ < SHOWN) show(each);
    if (isFound === !wrong && wrong?.isMoved === true && shown++ < SHOWN) show(each);
  }
  console.log(`\n${name}`);
  for (const [key, { of, part }] of [...shares].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${key} ${part} of ${of} (${((100 * part) / of).toFixed(2)} %)`);
  for (const [key, { of, part }] of shares) {
    const isBare = key.startsWith('alone');
    if (key.startsWith('peer') || key.endsWith('by chance')) continue;
    else if (key.endsWith('right')) failed ||= part / of > WANTED.falseAlarms;
    else if (key.endsWith('moved')) failed ||= part / of < WANTED.moved;
    else failed ||= part / of < (isBare ? WANTED.bare : WANTED.sentences);
  }
}

function add(shares: Map<string, Share>, key: string, isPart: boolean): void {
  const share = shares.get(key) ?? { of: 0, part: 0 };
  share.of += 1;
  share.part += isPart ? 1 : 0;
  shares.set(key, share);
}

/** The peer finds digits that are in no passage, letter for letter. */
function peerFinds({ answer, passages }: AnswerCase): boolean {
  const known = new Set(passages.flatMap(passage => passage.match(/[0-9][0-9.,:/-]*[0-9]|[0-9]/g) ?? []));
  return (answer.match(/[0-9][0-9.,:/-]*[0-9]|[0-9]/g) ?? []).some(figure => !known.has(figure));
}

function show(each: AnswerCase): void {
  const { question, answer, passages, wrong } = each;
  const found = JSON.stringify(check(each).unsupported.map(({ text }) => text));
  const name = wrong
    ? `MISSED ${wrong.isMoved ? 'moved ' : ''}"${answer.slice(wrong.from, wrong.to)}"`
    : `FALSE ALARM ${found}`;
  console.log(`\n${name}: ${question} ${JSON.stringify(answer)}\n   ${passages[0]}`);
}

/** Reports whether a sentence has the sources that a person named. */
function reportSources(set: 't' | 'h'): void {
  const passages = readPassages('services.md').map(({ slots, text }) =>
    text.map(piece => (typeof piece === 'string' ? piece : spellPlain(slots[piece]))).join(''),
  );
  let [named, right, wanted] = [0, 0, 0];
  let shown = 0;
  for (const { answer, group, expected, sentences } of readSourcedAnswers(set)) {
    const given = passages.slice(group * GROUP(), (group + 1) * GROUP());
    const { sources } = check({ question: '', answer, passages: given });
    const found = sources.flatMap(({ passage, sentences: carried }) =>
      carried.map(({ from, to }) => ({
        at: sentences.findIndex(each => each.from < to && each.to > from),
        passage,
      })),
    );
    const isIn = (list: typeof expected, { at, passage }: (typeof expected)[number]) =>
      list.some(each => each.at === at && each.passage === passage);
    named += found.length;
    right += found.filter(each => isIn(expected, each)).length;
    wanted += expected.length;
    const isMistaken = found.some(each => !isIn(expected, each)) || expected.some(each => !isIn(found, each));
    if (isMistaken && shown++ < SHOWN)
      console.log(
        `\nSOURCES ${JSON.stringify(answer)} are ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`,
      );
  }
  const [precision, recall] = [right / named, right / wanted];
  console.log(
    `\nsources, ${NAMES[set]}: precision ${precision.toFixed(3)} (${right} of ${named}), recall ${recall.toFixed(3)} (${right} of ${wanted})`,
  );
  failed ||= precision < WANTED.precision || recall < WANTED.recall;
}

function spellPlain(slot: { kind: string; value: string } | undefined): string {
  return slot === undefined
    ? ''
    : (passageSpellings[slot.kind]?.[0]?.(slot.value) ?? slot.value.replace('.', ','));
}

/** Reports the processor time of an answer of five sentences: with ten passages that earlier turns had, and with new ones. */
function reportTime(): void {
  const texts = listRealTexts();
  const random = makeRandom(SEED);
  const cases = Array.from({ length: 100 }, (_, round) => {
    const passages = Array.from({ length: 10 }, () => random.pick(texts));
    const answer = passages.slice(0, 5).map(passage => passage.split(/(?<=\.)\s/)[1] ?? passage);
    return {
      question: '',
      answer: answer.join(' '),
      passages: passages.map((text, at) => `${text} ${round}.${at}`),
    };
  });
  const [fresh, ...again] = Array.from({ length: 6 }, () => timeOf(cases));
  const length = cases.reduce((sum, { passages }) => sum + passages.join('').length, 0) / cases.length;
  const repeated = Math.min(...again);
  console.log(
    `\nprocessor time of an answer over ten passages, ${Math.round(length)} characters: ` +
      `${repeated.toFixed(2)} ms, where the passages are new ${(fresh ?? 0).toFixed(2)} ms`,
  );
  failed ||= repeated > WANTED.ms;
}

function timeOf(cases: readonly Pick<AnswerCase, 'question' | 'answer' | 'passages'>[]): number {
  const before = process.cpuUsage();
  for (const each of cases) check(each);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / cases.length;
}
