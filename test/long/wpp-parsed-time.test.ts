import { expect } from 'chai';
import fc from 'fast-check';
import { parseInlineNodes } from '../../workers/domain/wpp-parsed/inline-reader.ts';
import { ParseContext } from '../../workers/domain/wpp-parsed/parse-context.ts';
import { parseWpp, parseWppSteps } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { longestShare } from '../support/generator-steps.ts';
import { growthBeyondLinear } from '../support/growth.ts';

/** Each is repeated up to the length of the text. */
// biome-ignore format: a list
const HOSTILE = [
  '[', '![', '[a](', '[a](b ', '[a](<', '[a](http://b', '[![a](', '[a]: ', '][', '](', '[a][', '[a](b "',
  '(a', '[](b)', '*', '**a ', '*a_ ', '**a*b**c ', '*a **b _c __d ', '_', '~~a', '👍**', '`', '`a', '`` ` ',
  '```\n', '~~~\na\n', '\\', '\\*a', 'http://', 'http://{', 'http://a[', 'https://a.b/( ', 'www.', 'www.a(',
  '<', '<http://', '<a@', '<br>', '<summary>', '</details>', '=', '==a', '==a==', '\\n', 'C:\\', '\\\\a\\n',
  '$', '$a=', ' $a=b$', '\\(', '\\[a=', '\\(a=\\)', '\\begin{cases}', '\\frac{', ' \\frac{a', ' \\le',
  '- [x] ', '##a\n', '**a:**b', '&', '&amp;', '&#1;', '000201', '000201 6304ABCD', '0002016304ABCD',
  '6304ABCD', '1', '1 ', '0.', '8-', `${'0'.repeat(47)} `, '|', '|a|b|\n|-|-|\n', 'a|b\n-|-\n', '> ', '>',
  '- ', '- a\n', '- - a', '1. ', '# ', 'a\n===\n', '\n', 'a\n', '\u200b', '\ud800', 'é',
];

const DEFINED = new Map([['a', { label: 'a', line: '[a]: http://b', url: 'http://b', title: '' }]]);

type Sized = (length: number) => string;

// biome-ignore format: a table
const SHAPES: readonly (readonly [name: string, textOf: Sized])[] = [
  ...HOSTILE.map(unit => [JSON.stringify(unit), (length: number) => repeated(unit, length)] as const),
  ['nested lists', length => nested('  ', '- a', length)],
  ['nested quotes', length => nested('>', ' a', length)],
  ['growing runs of back-quotes', length => nested('`', ' ', length).replaceAll('\n', '')],
  ['brackets in brackets', length => '['.repeat(length / 2) + ']'.repeat(length / 2)],
  ['round brackets in a link', length => `[a]${'('.repeat(length / 2)}${')'.repeat(length / 2)}`],
  ['links in links', length => '[a '.repeat(length / 8) + '](b)'.repeat(length / 8)],
  ['pictures in pictures', length => '![a '.repeat(length / 8) + '](b)'.repeat(length / 8)],
  ['pictures behind open brackets',
    length => '['.repeat(length / 2) + '![a](http://b.png)'.repeat(length / 36)],
  ['emphasis in emphasis', length => '*a '.repeat(length / 6) + 'a* '.repeat(length / 6)],
  ['closings without a partner', length => `*a* ${'_a '.repeat(length / 6)}${'a* '.repeat(length / 6)}`],
  ['many Pix starts before one end', length => `${repeated('000201', length)}6304ABCD`],
  ['targets in targets', length => repeated('[](', length / 2) + repeated('1) ', length / 2)],
  ['targets with spaces at their end',
    length => `${repeated('[](a', length / 2)}${' '.repeat(length / 4)}${')'.repeat(length / 4)}`],
  ['addresses with spaces in addresses',
    length => `${'['.repeat(length / 16)}${repeated('](http://b c', length / 2)}[${')'.repeat(length / 16)}`],
  ['pictures in a deep quote',
    length => `${'>'.repeat(length / 2)}${repeated('![](http://b.png)a', length / 2)}`],
  ['links in a deep list',
    length => `${nested('  ', '- a', length / 2)}${repeated('[](http://b)a', length / 2)}`],
  ['references to one definition', length => `[a]: http://b\n\n${repeated('[a][b][', length)}`],
];

/** Paragraphs are parsed in pieces, so the parser of a piece is measured, too. */
const WORKS: readonly (readonly [name: string, work: (text: string) => unknown])[] = [
  ['an answer', parseWpp],
  ['a piece', text => parseInlineNodes(text, new ParseContext(DEFINED))],
];

// biome-ignore format: a list
const GRAMMAR = [
  '[', '](', '![', '(', ')', ']', '<', '>', '`', '``', '```', '```\n', '~~~\n', '*', '**', '_', '__', '~~',
  '#', '# ', '1) ', '1. ', '- ', '> ', '|', '|-|\n', '===\n', '==', '[x] ', '<summary>', '</summary>', '$',
  '$$', '\\(', '\\)', '\\[a=', ' \\frac{', '\\begin{cases}', '\\end{cases}', '---\n', '1', '8', '0', '000201',
  '6304ABCD', 'http://', 'http://a', 'https://a.b/c', 'www.', '.png', '.mp3', '\n', '\n\n', '\\', '&amp;',
  '&', '&#1;', ' ', '  ', '\t', '👍', 'é', 'a', '.', ',', '!', '"', "'", ':', ']: ', '[a]: http://b\n', '[a]',
  '[]', '[](', '{', '}', '<br>', '+', '@', '/', '?', '\u200b', '\u00a0', '\r',
];

/** Opening and closing constructs that need look-ahead; every pair is combined. */
// biome-ignore format: a list
const FAR_REACHING = [
  '$a=', '\\(a=', '\\)', ' \\frac{', '==a', '[', '[](', '](', '![](http://a.png', '[](<', '[a](b c', ')',
  '1) ', ']', '<', '>', '`', '*a ', 'a* ', '~~a', '&', 'http://a(', '000201', '6304ABCD', '1', ' ', '\n',
  '\\',
];

const units = fc
  .array(fc.constantFrom(...GRAMMAR), { minLength: 1, maxLength: 3 })
  .map(signs => signs.join(''));
const mixes = fc
  .tuple(units, units, units)
  .chain(([a, b, c]) => fc.constantFrom([a], [a, b], [a, b, a], [a, b, c], ['[', a, b], ['>', a, b]));

describe('The time of parsing', () => {
  for (const [reader, work] of WORKS) {
    for (const [name, textOf] of SHAPES)
      it(`grows with the length of ${reader}, not with its square: ${name}`, () =>
        expectLinear(work, textOf));

    it(`grows with the length of ${reader}, whatever signs are repeated, one behind the other`, () => {
      fc.assert(
        fc.property(mixes, phases => expectLinear(work, inPhases(phases))),
        { seed: 7, numRuns: 150, endOnFailure: true },
      );
    }).timeout(60_000);

    it(`grows with the length of ${reader}, whatever is opened many times before it is closed`, () => {
      for (const opening of FAR_REACHING) {
        for (const closing of FAR_REACHING) expectLinear(work, inPhases([opening, closing]));
      }
    }).timeout(60_000);
  }

  for (const unit of ['a\n', '> *a* b\n', '~~~\n``\n\n', '- a\n', 'a | b\n-|-\n', '*a* b\\\n'])
    it(`is spent in many steps, none of them long: ${JSON.stringify(unit)}`, () => {
      expect(longestShare(() => parseWppSteps(repeated(unit, 120_000)))).to.be.below(0.2);
    });
});

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

function nested(mark: string, end: string, length: number): string {
  let text = '';
  for (let depth = 0; text.length < length; depth++) text += `${mark.repeat(depth)}${end}\n`;
  return text.slice(0, length);
}

function expectLinear(work: (text: string) => unknown, textOf: Sized): void {
  expect(growthBeyondLinear(work, textOf)).to.equal(undefined);
}

/** Each unit fills a share of the text, one after the other. */
function inPhases(phases: readonly string[]): Sized {
  return length => phases.map(unit => repeated(unit, length / phases.length)).join('');
}
