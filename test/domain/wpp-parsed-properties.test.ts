import { expect } from 'chai';
import fc from 'fast-check';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { anyCharacter } from '../support/any-character.ts';

const wordsOf = (text: string): string[] => text.match(/[\p{L}\d]+/gu) ?? [];

/** Fragments of an answer with `#` for each word; words are numbered, so that all are different. */
// biome-ignore format: a list
const INLINE = [
  '#', '# #', '**#**', '_#_', '***#***', '~~#~~', '`#`', '**# _#_ #**', '#_#_#', '2 * # * 3', '\\*#\\*',
  '# <br> #', '[#](https://#.br)', '**[#](https://#.br/#)**', '![#](https://#.br/#.png)', 'https://#.br/#',
  '(www.#.br).', '<https://#.br>', '[#](mailto:#@#.br)', '[# **#**](/#)',
  '[![#](https://#.br/#.png) ](https://#.br)', '[#](https://#.br/#.mp3)', '# & # &amp; #', '==#==, #',
  '**#:**#', '\\( \\frac{#}{#} \\le # \\)', '$ # $$ #', '<summary>#</summary>',
];
// biome-ignore format: a list
const BLOCK = [
  '$', '$ $', '# $', '## $ ##', '$\n===', '$\n---\n$', '- $\n- $\n  - $', '1. $\n2. $\n   $', '- [ ] $',
  '> $\n> $', '---\n$', '| $ | $ |\n|---|---|\n| $ | $ |\n| | $ |', '```\n#\n\n\n  #\n```', '~~~\n# #\n~~~',
  '$\n\n\n\n$', '* $\n\n  $', '$  \n$\\\n$',
];

const inline = fc.constantFrom(...INLINE).map(piece => piece.replaceAll('#', '§'));
const block = fc
  .tuple(fc.constantFrom(...BLOCK), fc.array(inline, { minLength: 6, maxLength: 6 }))
  .map(([shape, pieces]) => {
    let next = 0;
    const filled = shape.startsWith('```') || shape.startsWith('~~~') ? shape.replaceAll('#', '§') : shape;
    return filled.replace(/\$/g, () => pieces[next++ % pieces.length] ?? '');
  });
const answers = fc.array(block, { maxLength: 8 }).map(blocks => numbered(blocks.join('\n\n')));

// biome-ignore format: a list
const MARKS = [
  'casa', 'rio', 'pé', ' ', '  ', '\n', '\n\n', '*', '**', '***', '_', '__', '~~', '~', '`', '``', '```',
  '```\n', '~~~', '==', '$', '\\(', '\\)', '[ ] ', '[', '](', '](b)', ')', '(', '![', ']', '[x]: ', '# ',
  '## ', '- ', '* ', '+ ', '> ', '|', '|-|', '---', '===', '\\', '!', '.', ':', '<', '>', '\t', '    ',
  'http://a.b/c.png', ' https://x.y/z', ' www.q.w', '"', '👍', '\u200b', '1. ', '2) ',
];
const jumbles = fc.array(fc.constantFrom(...MARKS), { maxLength: 40 }).map(marks => marks.join(''));
const anything = fc.oneof(
  answers,
  jumbles,
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ maxLength: 200 }),
);

describe('The items of any answer', () => {
  it('hold each of its words once and in order', () => {
    fc.assert(
      fc.property(answers, answer => {
        const expected = wordsOf(answer).filter(word => /^w\d+x$/.test(word));
        const seen = wordsOf(seenIn(parseWpp(answer).items)).filter(word => /^w\d+x$/.test(word));
        expect(seen).to.deep.equal(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('hold each of its letters once, however broken the marks are', () => {
    const lettersOf = (text: string) =>
      (text.replace(/https?:|%[\dA-F]{2}/g, ' ').match(/\p{L}/gu) ?? []).toSorted().join('');
    fc.assert(
      fc.property(jumbles, answer => {
        expect(lettersOf(seenIn(parseWpp(answer).items))).to.equal(lettersOf(answer));
      }),
      { numRuns: 5000 },
    );
  });

  it('are well formed: texts trimmed, never empty, without three line breaks in a row', () => {
    fc.assert(
      fc.property(anything, answer => {
        for (const item of parseWpp(answer).items) {
          expect(item.content).to.equal(item.content.trim()).and.to.not.equal('');
          if (item.type === 'text') expect(item.content).to.not.match(/\n[^\S\n]*\n[^\S\n]*\n|\r/);
          if ('url' in item)
            expect(item.url)
              .to.equal(item.content)
              .and.to.match(/^https?:\/\/\S+$/i);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('never begin a text behind an item with punctuation that closes, nor have one of punctuation only', () => {
    fc.assert(
      fc.property(anything, answer => {
        const texts = parseWpp(answer)
          .items.slice(1)
          .filter(({ type }) => type === 'text');
        for (const { content } of texts)
          expect(content)
            .to.match(/[^\p{P}\s]/u)
            .and.to.not.match(/^[.,;:!?…)\]}»”’]/);
      }),
      { numRuns: 3000 },
    );
  });

  it('never hold two texts in a row that one message could hold', () => {
    fc.assert(
      fc.property(anything, answer => {
        const types = parseWpp(answer).items.map(item => item.type);
        expect(types.some((type, at) => type === 'text' && types[at + 1] === 'text')).to.equal(false);
      }),
    );
  });

  it('have texts that one message can hold, each more than half of that but the last, and lose no word', () => {
    const paragraph = fc.constantFrom(
      '**w w** ',
      'w. ',
      '- w\n',
      '\n\n',
      '\n```\nw\n  w\n```\n',
      '*w ',
      '> w\n',
      '👍',
      'wwwwwwwwwwww',
    );
    const long = fc
      .array(fc.tuple(paragraph, fc.integer({ min: 1, max: 400 })), { maxLength: 30 })
      .map(parts => parts.map(([part, times]) => part.repeat(times)).join(''));
    fc.assert(
      fc.property(long, answer => {
        const texts = parseWpp(answer).items.map(({ content }) => content);
        for (const [at, text] of texts.entries()) {
          expect(text.length).to.be.at.most(4_096);
          expect(text.split('```').length % 2, text).to.equal(1);
          expect(text).to.not.match(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
          if (at < texts.length - 1) expect(text.length).to.be.at.least(2_000);
        }
        const count = (text: string, sign: string) => text.split(sign).length;
        expect(count(texts.join(''), 'w')).to.equal(count(answer, 'w'));
        expect(count(texts.join(''), '👍')).to.equal(count(answer, '👍'));
      }),
      { numRuns: 300 },
    );
  });

  it('have no character in two of its texts, of however many others it is made', () => {
    const family = '👨‍👩‍👧‍👦';
    for (const start of ['', 'w', 'ww', 'www']) {
      const texts = parseWpp(start + family.repeat(1_200)).items.map(({ content }) => content);
      expect(texts.length).to.be.above(1);
      for (const text of texts) expect(text.replace(/^w*/, '').replaceAll(family, '')).to.equal('');
    }
  });

  it('hold no more messages than its length needs, however many signs look like marks that are left open', () => {
    for (const unit of ['*a _b ', '*a _b ~c ', '~ab _cd ', '*aaaaaaaa _bbbbbbb ~ccccccc ']) {
      const answer = unit.repeat(2_000);
      const texts = parseWpp(answer).items.map(({ content }) => content);
      expect(texts.every(text => text.length <= 4_096)).to.equal(true);
      expect(texts.length).to.be.at.most(Math.ceil(answer.length / 2_000));
    }
  });

  it('leave plain text as it is', () => {
    const word = fc.constantFrom(
      'aula',
      'é',
      'R$ 1.234,56',
      '(11) 99999-9999',
      'snake_case',
      '2 * 3',
      'a@b.br',
      '👍',
      'fim.',
      '50%',
    );
    const line = fc.array(word, { minLength: 1, maxLength: 6 }).map(words => `Oi ${words.join(' ')}`);
    const plain = fc
      .array(line, { minLength: 1, maxLength: 5 })
      .chain(lines => fc.constantFrom('\n', '\n\n').map(gap => lines.join(gap)));
    fc.assert(
      fc.property(plain, text => {
        expect(parseWpp(text).items).to.deep.equal([{ type: 'text', content: text }]);
      }),
    );
  });
});

/** The visible text of the items, in order; the name that a link leaves in the sentence before it counts once. */
function seenIn(items: readonly WppItem[]): string {
  const textOf = (item: WppItem, next: WppItem | undefined) => {
    if ('url' in item) return `${item.description} ${item.url}`;
    const name = next && 'url' in next ? next.description || next.url : '';
    const at = item.content.lastIndexOf(name);
    // An address that ends code is no name of the link behind it.
    const isNamed = name !== '' && at > 0 && !/[\p{L}\d`]/u.test(item.content.slice(at + name.length));
    return isNamed ? item.content.slice(0, at) : item.content;
  };
  return items.map((item, at) => textOf(item, items[at + 1])).join('\n');
}

function numbered(template: string): string {
  let count = 0;
  return template.replace(/§/g, () => `w${++count}x`);
}
