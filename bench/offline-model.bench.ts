/**
 * Accuracy of the offline model: how often its answer holds the expected span, beside two baselines over the same
 * passages, with the answer's length; then its speed on ten passages of 8,000 characters.
 * `--misses` lists the tuning questions it got wrong (never the held-out ones).
 */
import { performance } from 'node:perf_hooks';
import { extractAnswer } from '../offline-model/extraction/extract-answer.ts';
import { splitIntoWords, toComparableText } from '../offline-model/extraction/words.ts';
import { heldOutPassages } from '../test/offline-model/held-out-passages.ts';
import { heldOutQuestions, heldOutUnanswerable } from '../test/offline-model/held-out-questions.ts';
import { tuningPassages } from '../test/offline-model/tuning-passages.ts';
import { tuningQuestions, tuningUnanswerable } from '../test/offline-model/tuning-questions.ts';
import { splitIntoSentences } from '../text/sentences.ts';

type Passages = Readonly<Record<string, string>>;
type Answerer = (question: string, passages: readonly string[]) => string;
interface Case {
  readonly question: string;
  readonly span: string;
  readonly passages: readonly string[];
}

const plain = (text: string) => toComparableText(text).replaceAll('*', '').replace(/\s+/g, ' ');
const sentencesIn = (passages: readonly string[]) =>
  passages.flatMap(passage => passage.split('\n').flatMap(line => splitIntoSentences(line)));

function mostSharedWords(question: string, passages: readonly string[]): string {
  const asked = new Set(splitIntoWords(question));
  const shared = (sentence: string) => new Set(splitIntoWords(sentence).filter(word => asked.has(word))).size;
  return sentencesIn(passages).reduce((best, next) => (shared(next) > shared(best) ? next : best), '');
}

const answerers: Readonly<Record<string, Answerer>> = {
  'offline-extractive': (question, passages) => extractAnswer(question, passages)?.text ?? '',
  'first 2 sentences': (_, passages) => sentencesIn(passages).slice(0, 2).join(' '),
  'most shared words': mostSharedWords,
};

/** Ten passages, with the right one at a position that depends on the number of the question only. */
function amongTen(passages: Passages, id: string, number: number): string[] {
  const others = Object.keys(passages).filter(other => other !== id);
  const chosen = Array.from({ length: 9 }, (_, at) => others[(number * 7 + at) % others.length] ?? id);
  chosen.splice(number % 10, 0, id);
  return chosen.map(key => passages[key] ?? '');
}

function report(
  title: string,
  cases: readonly Case[],
  unanswerable: readonly string[],
  all: readonly string[],
): void {
  for (const [name, answer] of Object.entries(answerers)) {
    const started = performance.now();
    const answers = cases.map(one => answer(one.question, one.passages));
    const each = (performance.now() - started) / cases.length;
    const hits = cases.filter((one, at) => plain(answers[at] ?? '').includes(plain(one.span))).length;
    const length = answers.reduce((sum, text) => sum + text.length, 0) / cases.length;
    const refused = unanswerable.filter(question => answer(question, all) === '').length;
    console.log(
      `${title.padEnd(28)} ${name.padEnd(20)} span hit ${((100 * hits) / cases.length).toFixed(1).padStart(5)} % of ${cases.length}` +
        `  mean length ${length.toFixed(0).padStart(4)}  ${each.toFixed(2)} ms  refused ${refused}/${unanswerable.length}`,
    );
  }
}

function showMisses(cases: readonly Case[]): void {
  for (const { question, span, passages } of cases) {
    const answer = extractAnswer(question, passages)?.text ?? '(none)';
    if (!plain(answer).includes(plain(span)))
      console.log(`- ${question}\n    want: ${span}\n    got:  ${answer}`);
  }
}

/** How often it answers, with and without the warning, with and without the answer in the passages. */
function reportSureness(
  title: string,
  questions: readonly string[],
  passagesOf: (at: number) => readonly string[],
): void {
  const answers = questions.map((question, at) => extractAnswer(question, passagesOf(at)));
  const sure = answers.filter(answer => answer?.isSure).length;
  const none = answers.filter(answer => answer === undefined).length;
  console.log(
    `${title.padEnd(49)} sure ${sure}, with a warning ${answers.length - sure - none}, none ${none}`,
  );
}

const sets = [
  ['tuning', tuningPassages, tuningQuestions, tuningUnanswerable],
  ['held out', heldOutPassages, heldOutQuestions, heldOutUnanswerable],
] as const;

for (const [name, passages, questions, unanswerable] of sets) {
  const known: Passages = passages;
  const alone = questions.map(([id, question, span]) => ({ question, span, passages: [known[id] ?? ''] }));
  const ten = questions.map(([id, question, span], number) => ({
    question,
    span,
    passages: amongTen(known, id, number),
  }));
  const all = Object.values(known).slice(0, 10);
  const asked = questions.map(([, question]) => question);
  const without = (at: number) =>
    ten[at]?.passages.filter(passage => passage !== alone[at]?.passages[0]) ?? [];
  report(`${name}, right passage`, alone, unanswerable, all);
  report(`${name}, among ten`, ten, unanswerable, all);
  reportSureness(`${name}, right passage`, asked, at => alone[at]?.passages ?? []);
  reportSureness(`${name}, among ten`, asked, at => ten[at]?.passages ?? []);
  reportSureness(`${name}, nine others`, asked, without);
  reportSureness(`${name}, about something else`, unanswerable, () => all);
  if (name === 'tuning' && process.argv.includes('--misses')) {
    showMisses(alone);
    console.log('== among ten');
    showMisses(ten);
  }
}

const everything = Object.values(tuningPassages).join('\n\n');
const long = Array.from({ length: 10 }, (_, at) => (everything.slice(at * 500) + everything).slice(0, 8000));
const times = tuningQuestions.map(([, question]) => {
  const started = performance.now();
  extractAnswer(question, long);
  return performance.now() - started;
});
times.sort((left, right) => left - right);
const quantile = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
console.log(`10 passages of 8,000 characters: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`);
