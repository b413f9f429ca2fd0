import { expect } from 'chai';
import { wppParsed } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

/** Each repeated until the text is as long as it shall be. */
const HOSTILE = [
  '[',
  '![',
  '[a](',
  '[a](b ',
  '[a](<',
  '[a](http://b',
  '[![a](',
  '[a]: ',
  '][',
  '](',
  '[a][',
  '[a](b "',
  '(a',
  '[](b)',
  '*',
  '**a ',
  '*a_ ',
  '**a*b**c ',
  '*a **b _c __d ',
  '_',
  '~~a',
  '👍**',
  '`',
  '`a',
  '`` ` ',
  '```\n',
  '~~~\na\n',
  '\\',
  '\\*a',
  'http://',
  'http://{',
  'http://a[',
  'https://a.b/( ',
  'www.',
  'www.a(',
  '<',
  '<http://',
  '<a@',
  '<br>',
  '&',
  '&amp;',
  '&#1;',
  '000201',
  '000201 6304ABCD',
  '0002016304ABCD',
  '6304ABCD',
  '1',
  '1 ',
  '0.',
  '8-',
  `${'0'.repeat(47)} `,
  '|',
  '|a|b|\n|-|-|\n',
  'a|b\n-|-\n',
  '> ',
  '>',
  '- ',
  '- a\n',
  '- - a',
  '1. ',
  '# ',
  'a\n===\n',
  '\n',
  'a\n',
  '\u200b',
  '\ud800',
  'é',
];

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

function nested(mark: string, end: string, length: number): string {
  let text = '';
  for (let depth = 0; text.length < length; depth++) text += `${mark.repeat(depth)}${end}\n`;
  return text.slice(0, length);
}

type Sized = (length: number) => string;

const SHAPES: readonly (readonly [name: string, textOf: Sized])[] = [
  ...HOSTILE.map(unit => [JSON.stringify(unit), (length: number) => repeated(unit, length)] as const),
  ['nested lists', length => nested('  ', '- a', length)],
  ['nested quotes', length => nested('>', ' a', length)],
  ['growing runs of back-quotes', length => nested('`', ' ', length).replaceAll('\n', '')],
  ['brackets in brackets', length => '['.repeat(length / 2) + ']'.repeat(length / 2)],
  ['round brackets in a link', length => `[a]${'('.repeat(length / 2)}${')'.repeat(length / 2)}`],
  ['links in links', length => '[a '.repeat(length / 8) + '](b)'.repeat(length / 8)],
  ['pictures in pictures', length => '![a '.repeat(length / 8) + '](b)'.repeat(length / 8)],
  [
    'pictures behind open brackets',
    length => '['.repeat(length / 2) + '![a](http://b.png)'.repeat(length / 36),
  ],
  ['emphasis in emphasis', length => '*a '.repeat(length / 6) + 'a* '.repeat(length / 6)],
  ['closings without a partner', length => `*a* ${'_a '.repeat(length / 6)}${'a* '.repeat(length / 6)}`],
  ['many Pix starts before one end', length => `${repeated('000201', length)}6304ABCD`],
  ['references to one definition', length => `[a]: http://b\n\n${repeated('[a][b][', length)}`],
];

function bestTime(text: string): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    wppParsed(text);
    return performance.now() - start;
  });
  return Math.min(...times);
}

describe('The time of parsing', () => {
  // Eight times the text takes about eight times as long; were it the square, 64 times. A millisecond is noise.
  for (const [name, textOf] of SHAPES) {
    it(`grows with the length, not with its square: ${name}`, () => {
      const short = Math.max(bestTime(textOf(12_000)), 1.5);
      expect(bestTime(textOf(96_000))).to.be.below(short * 40);
    });
  }
});
