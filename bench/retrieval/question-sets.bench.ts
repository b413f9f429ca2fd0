import { heldOutPassages } from './held-out-passages.ts';
import { heldOutQuestions } from './held-out-questions.ts';
import type { QuestionSet } from './question-set.bench.ts';
import { readQuestionSet } from './read-question-set.bench.ts';
import { similarPassages } from './similar-passages.bench.ts';
import { tuningPassages } from './tuning-passages.ts';
import { tuningQuestions } from './tuning-questions.ts';

const kinds: Readonly<Record<string, string>> = {
  '?': 'plain',
  n: 'number',
  a: 'accents',
  t: 'typing',
  s: 'synonyms',
  f: 'follow-up',
};

export function questionSets(): QuestionSet[] {
  return [
    readQuestionSet('higher education', 'university.md', kinds),
    consoleSet(),
    serraAzulSet(),
    { name: '248 similar passages', ...similarPassages() },
  ];
}

/** Each follow-up with the dialogue before it. */
export function followUpSet(): QuestionSet {
  return readQuestionSet('follow-ups', 'follow-ups.md', {
    e: 'elliptic',
    p: 'price',
    o: 'ordinal',
    n: 'pronoun',
    c: 'changed subject',
  });
}

/** A university whose passages resemble each other: single questions and follow-ups. */
export function serraAzulSet(): QuestionSet {
  return readQuestionSet('Serra Azul', 'serra-azul.md', { q: 'alone', f: 'follow-up' });
}

/** The questions of the offline model's tests: one imaginary university, questions as users type them. */
function consoleSet(): QuestionSet {
  const byKey = { ...tuningPassages, ...heldOutPassages };
  const keys = Object.keys(byKey);
  const questions = [...tuningQuestions, ...heldOutQuestions].map(([key, text]) => ({
    passage: keys.indexOf(key),
    text,
    earlier: [],
    lastAnswer: '',
    kind: 'plain',
  }));
  return { name: 'one university', passages: Object.values(byKey), questions };
}
