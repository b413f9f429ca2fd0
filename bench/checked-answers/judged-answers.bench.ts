import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerCase } from './cases.bench.ts';

function readText(file: string): string {
  return readFileSync(join(process.cwd(), 'bench/checked-answers', file), 'utf8');
}

export interface JudgedAnswer extends AnswerCase {
  /** p: paraphrase, a: with arithmetic, w: wrong. */
  readonly mark: 'p' | 'a' | 'w';
}

/** The answers of `paraphrases.md`, over the passages of its other blocks. */
export function readJudgedAnswers(set: 't' | 'h'): JudgedAnswer[] {
  const blocks = readText('paraphrases.md')
    .split('\n\n')
    .filter(block => block.startsWith('P '));
  const texts = blocks.map(block => block.split('\n')[0]?.slice(2) ?? '');
  return blocks.flatMap((block, at) => {
    const passages = [texts[at] ?? '', ...texts.filter((_, other) => other !== at).slice(0, 7)];
    return block
      .split('\n')
      .filter(line => line.charAt(1) === set)
      .map(line => judgedAnswerOf(line, passages));
  });
}

function judgedAnswerOf(line: string, passages: readonly string[]): JudgedAnswer {
  const mark = line.charAt(0) as JudgedAnswer['mark'];
  const body = line.slice(3);
  const bar = body.indexOf(' | ');
  const question = bar < 0 ? '' : body.slice(0, bar);
  const marked = bar < 0 ? body : body.slice(bar + 3);
  const [before = '', wrong, after = ''] = marked.split(/[{}]/);
  const base = { mark, degree: 1, question, passages, figures: 1 } as const;
  if (wrong === undefined) return { ...base, answer: marked };
  const place = { from: before.length, to: before.length + wrong.length };
  return {
    ...base,
    answer: before + wrong + after,
    wrong: { ...place, kind: 'judged', isElsewhere: false, isMoved: false },
  };
}

/** An answer and the source passages that a person named: each with the index of its sentence. */
export interface SourcedAnswer {
  readonly answer: string;
  /** The number of the group of passages. */
  readonly group: number;
  readonly expected: readonly { readonly at: number; readonly passage: number }[];
  readonly sentences: readonly { readonly from: number; readonly to: number }[];
}

const SENTENCE = /(.*?)\s*\[([0-9, ]*)\]\s*/gs;

/** The answers of `sources.md`. */
export function readSourcedAnswers(set: 't' | 'h'): SourcedAnswer[] {
  return readText('sources.md')
    .split(/^# [0-9]+$/m)
    .slice(1)
    .flatMap((block, group) =>
      block
        .split('\n')
        .filter(line => line.startsWith(`${set} `))
        .map(line => sourcedAnswerOf(line.slice(2).replaceAll('\\n', '\n'), group)),
    );
}

function sourcedAnswerOf(marked: string, group: number): SourcedAnswer {
  let answer = '';
  const expected: { at: number; passage: number }[] = [];
  const sentences: { from: number; to: number }[] = [];
  for (const [whole, sentence = '', numbers = ''] of marked.matchAll(SENTENCE)) {
    const at = sentences.length;
    sentences.push({ from: answer.length, to: answer.length + sentence.length });
    for (const number of numbers.match(/[0-9]+/g) ?? []) expected.push({ at, passage: Number(number) - 1 });
    answer += sentence + (/\n\s*$/.test(whole) ? '\n' : ' ');
  }
  return { answer: answer.trimEnd(), group, expected, sentences };
}
