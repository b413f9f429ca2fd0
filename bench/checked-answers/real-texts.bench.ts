import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { enrollmentChunks, paymentChunks, studyChunks } from '../../db/seed/chunks.ts';
import { heldOutPassages } from '../retrieval/held-out-passages.ts';
import { tuningPassages } from '../retrieval/tuning-passages.ts';
import type { AnswerCase } from './cases.bench.ts';
import { inWords } from './number-words.bench.ts';
import type { Random } from './seeded.bench.ts';
import { varyDigit } from './vary-value.bench.ts';

/** The knowledge of the demonstration, of tests and of other benchmarks. */
export function listRealTexts(): string[] {
  const university = readFileSync(join(process.cwd(), 'bench/retrieval/university.md'), 'utf8');
  const sections = university
    .split(/^## .+$/m)
    .slice(1)
    .map(section => section.trim().split('\n')[0] ?? '');
  return [
    ...enrollmentChunks,
    ...paymentChunks,
    ...studyChunks,
    ...Object.values(heldOutPassages),
    ...Object.values(tuningPassages),
    ...sections,
  ];
}

const NUMBER = /[0-9][0-9.,:/]*[0-9]|[0-9]/g;
const DISTRACTORS = 7;

/** Yields sentences with digits, and each again with one digit changed. */
export function* realCasesOf(texts: readonly string[], random: Random): Generator<AnswerCase> {
  for (const text of texts) {
    const passages = [text, ...Array.from({ length: DISTRACTORS }, () => random.pick(texts))];
    const whole = passages.join('\n');
    for (const answer of text.split(/(?<=[.!?])\s+(?=[A-ZÀ-Ú])|\n+/).filter(each => /[0-9]/.test(each))) {
      const numbers = [...answer.matchAll(NUMBER)].filter(({ index }) => !isListMark(answer, index));
      yield { degree: 1, question: '', answer, passages, figures: numbers.length };
      if (numbers.length === 0) continue;
      const { 0: number, index } = random.pick(numbers);
      const digits = [...number.matchAll(/[0-9]/g)];
      const changed = varyDigit(number, random.pick(digits).index, random);
      const isElsewhere =
        [...whole.matchAll(NUMBER)].some(({ 0: other }) => sameDigits(other, changed)) ||
        isInWords(whole, changed);
      yield {
        degree: 1,
        question: '',
        answer: answer.slice(0, index) + changed + answer.slice(index + number.length),
        passages,
        figures: numbers.length,
        wrong: { from: index, to: index + number.length, kind: 'digit', isElsewhere, isMoved: false },
      };
    }
  }
}

function isListMark(answer: string, index: number): boolean {
  return index < 4 && /^\s*[0-9]{1,2}[.)]\s/.test(answer);
}

/** Whether the text has the number in words, such as `cinco` or `duas`. */
function isInWords(text: string, digits: string): boolean {
  const value = Number(digits);
  if (!Number.isInteger(value) || value > 9_999) return false;
  const words = ` ${(text.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ')} `;
  const spelled = inWords(value);
  const forms = [spelled, spelled.replace('dois', 'duas').replace(/um$/, 'uma')];
  return forms.some(form => words.includes(` ${form} `));
}

/** `07` equals 7, and `3,00` equals 3. */
function sameDigits(one: string, other: string): boolean {
  const plain = (text: string) => text.replace(/[,.]0+$/, '').replace(/^0+(?=[0-9])/, '');
  return plain(one) === plain(other);
}
