import { readFileSync } from 'node:fs';
import type { Question, QuestionSet } from './question-set.bench.ts';

const ANSWER = '< ';
const SPAN = ' => ';

/**
 * Reads passages with their questions. A question is a line of the letter of its kind and the dialogue, separated by ` >> `:
 * the question last, an answer of the assistant after `< `. The words that a right answer holds may follow ` => `.
 */
export function readQuestionSet(
  name: string,
  file: string,
  kinds: Readonly<Record<string, string>>,
): QuestionSet {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const passages: string[] = [];
  const questions: Question[] = [];
  for (const section of text.split(/^## .*\n/m).slice(1)) {
    const lines = section.trim().split('\n');
    const first = lines.findIndex(line => kinds[line[0] ?? ''] !== undefined && line[1] === ' ');
    const end = first < 0 ? lines.length : first;
    passages.push(lines.slice(0, end).join('\n').trim());
    for (const line of lines.slice(end)) {
      questions.push(questionOf(line.slice(2), passages.length - 1, kinds[line[0] ?? ''] ?? ''));
    }
  }
  return { name, passages, questions };
}

function questionOf(line: string, passage: number, kind: string): Question {
  const [dialogue = '', span] = line.replaceAll('\\n', '\n').split(SPAN);
  const said = dialogue.split(' >> ');
  const before = said.slice(0, -1);
  return {
    passage,
    text: said.at(-1) ?? '',
    earlier: before.filter(each => !each.startsWith(ANSWER)),
    lastAnswer: before.findLast(each => each.startsWith(ANSWER))?.slice(ANSWER.length) ?? '',
    kind,
    ...(span !== undefined && { span }),
  };
}
