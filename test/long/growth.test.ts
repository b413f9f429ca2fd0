import { expect } from 'chai';
import { growthBeyondLinear } from '../support/growth.ts';
import { READERS } from '../text/text-readers.ts';

/** Texts that once made a parser slow: repeated, alone or around something else. */
const UNITS = [
  ...Array.from('abc019éçÃ.,;:!?-_=+*/\\|@#$%&~^`\'"<>()[]{}–—…“”€ºª👍\u0301\u200b\ufeff\u00a0\ud800\0'),
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u2028',
  'a ',
  'a.',
  '.a',
  'a@',
  '@.',
  '@/.',
  '+.',
  'a@a.',
  'a\n',
  'a: b\n',
  '- a\n',
  '---\n',
  '\n---\n',
  '"a", ',
  "'a'",
  '"\\',
  '[a, ',
  '<a ',
  '<trecho',
  '\n\n',
  '. ',
  '? ',
  '1.',
  '1-',
  '(11) ',
  '11 9',
  '529.982.247-25 ',
  '55 11 ',
  '1 9 ',
  '11.988-',
  '000201',
  '[CPF_',
  'CPF_1',
  '\\u0031',
  'a1b2c3d4-',
  'meu nome é ',
  'sou o ',
  'qual ',
  'Qual é o valor do ',
  'http://',
  'https://a.a/(',
  'não ',
  'otimo ruim ',
  'e o ',
  'ação ',
  // Combining marks in a non-canonical order; the second is a letter that becomes a mark.
  '\u0301\u0316',
  '\uff9e\u0316',
  '\ud800\ud801',
  '٩',
];

type SizedText = (length: number) => string;

/** All marks of one class before all of another. */
const marksApart: SizedText = length =>
  `a${'\u0301'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}`.slice(0, length);

/** Each builds a text of the given length. */
const ADVERSARIAL: readonly (readonly [name: string, textOf: SizedText])[] = [
  ['marks of one class before those of another', marksApart],
  ...UNITS.flatMap(around),
];

describe('The time of every reader of strangers’ texts', () => {
  for (const [name, run] of Object.entries(READERS))
    it(`grows with the length of the text and no faster: ${name}`, () => {
      const beyond = ADVERSARIAL.flatMap(([text, textOf]) => {
        const growth = growthBeyondLinear(run, textOf);
        return growth === undefined ? [] : [`${text}: ${growth}`];
      });
      expect(beyond).to.deep.equal([]);
    });
});

function repeatText(unit: string): SizedText {
  return length => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

function around(unit: string): (readonly [name: string, textOf: SizedText])[] {
  const run = repeatText(unit);
  const name = JSON.stringify(unit);
  return [
    [name, run],
    [`${name} below a fence, between two words`, length => `---\na${run(length - 6)}a`],
  ];
}
