import { readFileSync } from 'node:fs';
import { heldOutPassages } from '../../test/offline-model/held-out-passages.ts';
import { heldOutQuestions } from '../../test/offline-model/held-out-questions.ts';
import { tuningPassages } from '../../test/offline-model/tuning-passages.ts';
import { tuningQuestions } from '../../test/offline-model/tuning-questions.ts';
import type { Question, QuestionSet } from './question-set.ts';
import { similarPassages } from './similar-passages.ts';

const kinds: Readonly<Record<string, string>> = {
  '?': 'plain',
  n: 'number',
  a: 'accents',
  t: 'typing',
  s: 'synonyms',
  f: 'follow-up',
};

export function questionSets(): QuestionSet[] {
  return [universitySet(), consoleSet(), { name: '248 similar passages', ...similarPassages() }];
}

function universitySet(): QuestionSet {
  const text = readFileSync(new URL('university.md', import.meta.url), 'utf8');
  const passages: string[] = [];
  const questions: Question[] = [];
  for (const section of text.split(/^## .*\n/m).slice(1)) {
    const [, passage = '', asked = ''] = /^([^]*?)\n((?:[?natsf] .*\n*)+)$/.exec(section) ?? [];
    passages.push(passage.trim());
    for (const line of asked.trim().split('\n')) {
      const said = line.slice(2).split(' >> ');
      const kind = kinds[line[0] ?? ''] ?? 'plain';
      questions.push({
        passage: passages.length - 1,
        text: said.at(-1) ?? '',
        earlier: said.slice(0, -1),
        kind,
      });
    }
  }
  return { name: 'higher education', passages, questions };
}

/** The questions of the offline model's tests: one imaginary university, questions as users type them. */
function consoleSet(): QuestionSet {
  const byKey = { ...tuningPassages, ...heldOutPassages };
  const keys = Object.keys(byKey);
  const questions = [...tuningQuestions, ...heldOutQuestions].map(([key, text]) => ({
    passage: keys.indexOf(key),
    text,
    earlier: [],
    kind: 'plain',
  }));
  return { name: 'one university', passages: Object.values(byKey), questions };
}
