import { checkAnswer } from '../workers/domain/alignment/check-answer.ts';
import { type AnswerCase, casesOf } from './checked-answers/cases.ts';
import { readPassages } from './checked-answers/read-passages.ts';
import { listRealTexts, realCasesOf } from './checked-answers/real-texts.ts';
import { makeRandom } from './checked-answers/seeded.ts';
import { heldOutSpellings, type Spellings, tuningSpellings } from './checked-answers/spellings.ts';

/*
 * Which wrong figures of answers are found, and which right ones are called wrong. Answers are made of passages by seed,
 * in three degrees: the sentence of the passage with other spellings of its figures, other words and another order, and
 * sums of several sentences; beside them sentences of real texts, one digit of which is changed. The peer compares figures
 * by their characters. `--seed`, `--rounds`, `--show`; `--held-out` adds the half that was held out.
 */

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const SEED = option('seed', 20_261_123);
const ROUNDS = option('rounds', 12);
const SHOWN = option('show', 0);
const WANTED = { caught: 0.99, falseAlarms: 0.01, ms: 2 };

/** In passages every date has its year. */
const passageSpellings: Spellings = {
  ...tuningSpellings,
  d: (tuningSpellings['d'] ?? []).filter(write => /27/.test(write('2027-03-14') ?? '')),
};

interface Tally {
  right: number;
  alarmed: number;
  figures: number;
  alarms: number;
  wrong: number;
  caught: number;
  elsewhere: number;
  elsewhereCaught: number;
  named: number;
  namedRight: number;
  alsoNamed: number;
  peerCaught: number;
  peerAlarmed: number;
}

const templates = readPassages();
let failed = false;
report('tuned spellings and answers', () => generated(tuningSpellings, 't'));
report('real texts, word for word', () => realCasesOf(listRealTexts(), makeRandom(SEED)));
if (process.argv.includes('--held-out'))
  report('held-out spellings and answers', () => generated(heldOutSpellings, 'h'));
reportTime();
process.exitCode = failed ? 1 : 0;

function* generated(spellings: Spellings, set: 't' | 'h'): Generator<AnswerCase> {
  const random = makeRandom(SEED);
  const source = { templates, random, spellings, passageSpellings, set };
  for (let round = 0; round < ROUNDS; round += 1) yield* casesOf(source, round);
}

function check({ answer, passages }: Pick<AnswerCase, 'answer' | 'passages'>) {
  const steps = checkAnswer(answer, { passages, standing: [], others: [] });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function report(name: string, cases: () => Iterable<AnswerCase>): void {
  const byDegree = new Map<number, Tally>();
  let shown = 0;
  for (const each of cases()) {
    const tally = byDegree.get(each.degree) ?? makeTally();
    byDegree.set(each.degree, tally);
    if (count(tally, each) && shown++ < SHOWN) show(each);
  }
  console.log(`\n${name}`);
  const total = makeTally();
  for (const [degree, tally] of [...byDegree].toSorted(([a], [b]) => a - b)) {
    for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key];
    if (byDegree.size > 1) console.log(`  degree ${degree}: ${lineOf(tally)}`);
  }
  console.log(`  all: ${lineOf(total)}`);
  failed ||= total.caught / total.wrong < WANTED.caught || total.alarmed / total.right > WANTED.falseAlarms;
}

function makeTally(): Tally {
  return {
    right: 0,
    alarmed: 0,
    figures: 0,
    alarms: 0,
    wrong: 0,
    caught: 0,
    elsewhere: 0,
    elsewhereCaught: 0,
    named: 0,
    namedRight: 0,
    alsoNamed: 0,
    peerCaught: 0,
    peerAlarmed: 0,
  };
}

/** Whether the check was mistaken. */
function count(tally: Tally, each: AnswerCase): boolean {
  const { unsupported, sources } = check(each);
  if (!each.wrong) {
    tally.right += 1;
    tally.figures += each.figures;
    tally.alarms += unsupported.length;
    tally.alarmed += unsupported.length > 0 ? 1 : 0;
    tally.peerAlarmed += peerFinds(each) ? 1 : 0;
    tally.named += 1;
    tally.namedRight += sources.some(({ passage }) => passage === 0) ? 1 : 0;
    tally.alsoNamed += sources.filter(({ passage }) => passage !== 0).length;
    return unsupported.length > 0;
  }
  const { from, to, isElsewhere } = each.wrong;
  const isCaught = unsupported.some(figure => figure.from < to && figure.to > from);
  if (isElsewhere) {
    tally.elsewhere += 1;
    tally.elsewhereCaught += isCaught ? 1 : 0;
    return false;
  }
  tally.wrong += 1;
  tally.caught += isCaught ? 1 : 0;
  tally.peerCaught += peerFinds(each) ? 1 : 0;
  return !isCaught;
}

/** Digits that stand in no passage, letter for letter. */
function peerFinds({ answer, passages }: AnswerCase): boolean {
  const known = new Set(passages.flatMap(passage => passage.match(/[0-9][0-9.,:/-]*[0-9]|[0-9]/g) ?? []));
  return (answer.match(/[0-9][0-9.,:/-]*[0-9]|[0-9]/g) ?? []).some(figure => !known.has(figure));
}

function lineOf(tally: Tally): string {
  const share = (part: number, whole: number) => (whole === 0 ? '-' : ((100 * part) / whole).toFixed(2));
  return [
    `${tally.caught} of ${tally.wrong} wrong figures caught (${share(tally.caught, tally.wrong)} %, peer ${share(tally.peerCaught, tally.wrong)} %)`,
    `${tally.alarmed} of ${tally.right} right answers called wrong (${share(tally.alarmed, tally.right)} %, peer ${share(tally.peerAlarmed, tally.right)} %)`,
    `of their ${tally.figures} figures ${tally.alarms} (${share(tally.alarms, tally.figures)} %)`,
    `source named ${share(tally.namedRight, tally.named)} %, others ${share(tally.alsoNamed, tally.named)} %`,
    `wrong by a value of another passage: ${tally.elsewhereCaught} of ${tally.elsewhere} caught`,
  ].join('; ');
}

function show({ answer, passages, wrong }: AnswerCase): void {
  console.log(
    `\n${wrong ? `MISSED ${wrong.kind} "${answer.slice(wrong.from, wrong.to)}"` : 'FALSE ALARM'}: ${answer}`,
  );
  if (!wrong)
    console.log('  ', JSON.stringify(check({ answer, passages }).unsupported.map(({ text }) => text)));
  console.log(`   ${passages[0]}`);
}

/** Processor time of an answer of five sentences with ten passages that turns before it had, and with new ones. */
function reportTime(): void {
  const texts = listRealTexts();
  const random = makeRandom(SEED);
  const cases = Array.from({ length: 100 }, (_, round) => {
    const passages = Array.from({ length: 10 }, () => random.pick(texts));
    const answer = passages.slice(0, 5).map(passage => passage.split(/(?<=\.)\s/)[1] ?? passage);
    return { answer: answer.join(' '), passages: passages.map((text, at) => `${text} ${round}.${at}`) };
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

function timeOf(cases: readonly Pick<AnswerCase, 'answer' | 'passages'>[]): number {
  const before = process.cpuUsage();
  for (const each of cases) check(each);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / cases.length;
}
