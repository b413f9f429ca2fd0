import { expect } from 'chai';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

type Case = readonly [sentence: string, answer: string, items: readonly WppItem[]];

const text = (content: string): WppItem => ({ type: 'text', content });
const site = (description: string, url: string): WppItem => ({
  type: 'site',
  content: url,
  url,
  description,
});

const PUNCTUATION: readonly Case[] = [
  [
    'joins a full stop to the text before the link',
    'Veja o [a](https://a.br). A central abre **hoje**.',
    [text('Veja o a.'), site('a', 'https://a.br'), text('A central abre *hoje*.')],
  ],
  [
    'joins what closes behind several links',
    'zero https://a.br https://b.br?!',
    [text('zero?!'), site('', 'https://a.br'), site('', 'https://b.br')],
  ],
  [
    'says no second stop',
    'Acesse: https://a.br. Fim',
    [text('Acesse:'), site('', 'https://a.br'), text('Fim')],
  ],
  [
    'leaves no brackets or quotes without words',
    'zero ("https://a.br"). dois',
    [text('zero.'), site('', 'https://a.br'), text('dois')],
  ],
  [
    'keeps brackets that hold words',
    'zero (em https://a.br) dois',
    [text('zero (em https://a.br)'), site('', 'https://a.br'), text('dois')],
  ],
  [
    'keeps a quote that opens',
    'zero https://a.br "dois"',
    [text('zero'), site('', 'https://a.br'), text('"dois"')],
  ],
  ['keeps an answer of nothing else', '...!', [text('...!')]],
  ['keeps an emoji alone', 'https://a.br 👍', [site('', 'https://a.br'), text('👍')]],
];

describe('The punctuation around what can be opened in an answer', () => {
  for (const [sentence, answer, items] of PUNCTUATION) {
    it(sentence, () => expect(parseWpp(answer)).to.deep.equal({ items, warnings: [] }));
  }
});
