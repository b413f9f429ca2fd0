import { expect } from 'chai';
import fc from 'fast-check';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

const textsOf = (items: readonly WppItem[]) =>
  items.flatMap(({ type, content }) => (type === 'text' ? content : []));

/** The sentence, and the texts of its messages. */
const READ: readonly (readonly [answer: string, ...texts: string[]])[] = [
  ['A inscrição é feita em https://x.br/y.', 'A inscrição é feita em https://x.br/y.'],
  ['Acesse o [portal](https://p.br) hoje.', 'Acesse o portal', 'hoje.'],
  ['**Acesse o [portal](https://p.br)** hoje.', '*Acesse o portal*', 'hoje.'],
  ['O edital está **[aqui](https://p.br)**.', 'O edital está *aqui*.'],
  ['Está em "https://p.br".', 'Está em "https://p.br".'],
  ['Veja (em https://p.br) a lista.', 'Veja (em https://p.br)', 'a lista.'],
  ['Pague por boleto, ou com [cartão](https://p.br).', 'Pague por boleto, ou com cartão.'],
  ['Quem se formou pode [pedir](https://p.br) o diploma.', 'Quem se formou pode pedir', 'o diploma.'],
  ['Se preferir, [fale conosco](https://p.br)!', 'Se preferir, fale conosco!'],
  ['Em [um](https://a.br), [dois](https://b.br) ou [três](https://c.br).', 'Em um,', 'dois', 'ou três.'],
  ['- no [a](https://a.br);\n- na [b](https://b.br).', '- no a;', '- na b.'],
  ['**Baixe** [o guia](https://p.br).', '*Baixe* o guia.'],
  ['A aula foi ontem. Ouça [a gravação](https://p.br/a.mp3).', 'A aula foi ontem. Ouça a gravação.'],
  ['Vale até 2027 [aqui](https://p.br)', 'Vale até 2027 aqui'],
  // A colon, the end of a sentence, a list mark and the bar of a table part them.
  ['Acesse: https://p.br', 'Acesse:'],
  ['Link de **consulta:** https://p.br', 'Link de *consulta:*'],
  ['Não consigo acessar. https://p.br', 'Não consigo acessar.'],
  ['"Já pagou?" [Veja](https://p.br)', '"Já pagou?"'],
  ['Acesse\n- https://p.br\n- https://q.br', 'Acesse'],
  ['|no|https://p.br|\n|-|-|\n|a|[b](https://q.br)|', 'no', 'a'],
  // So does a line.
  ['Confira\n[as datas](https://p.br)', 'Confira'],
  ['Contato em\n\nhttps://p.br', 'Contato em'],
  // A mark at a word is no part of a sentence, and a picture speaks for itself.
  ['Há uma nota a[1](https://p.br)', 'Há uma nota a'],
  ['👉 [Portal](https://p.br)', '👉'],
  ['Este é o ![mapa](https://a.br/b.png)', 'Este é o'],
];

describe('The text before a link', () => {
  for (const [answer, ...texts] of READ)
    it(`is ${JSON.stringify(texts)} in ${JSON.stringify(answer)}`, () => {
      expect(textsOf(parseWpp(answer).items)).to.deep.equal(texts);
    });

  it('changes no item, wherever the link stands', () => {
    const ending = fc.constantFrom('em', 'Acesse o', 'Está', 'Veja', 'Site:', 'casa', 'at the', 'en la');
    const link = fc.constantFrom(
      '[x y](https://a.br)',
      'https://b.br/c',
      '![z](https://d.br/e.png)',
      'https://f.br/g.mp3',
    );
    fc.assert(
      fc.property(
        ending,
        fc.array(fc.tuple(link, fc.constantFrom(' e ', ', no ', '. ', '\n'))),
        (start, links) => {
          const rest = links.map(pair => pair.join('')).join('');
          const itemsOf = (answer: string) => parseWpp(answer).items.filter(({ type }) => type !== 'text');
          expect(itemsOf(`${start} ${rest}`)).to.deep.equal(links.flatMap(([only]) => itemsOf(only)));
        },
      ),
    );
  });

  it('never repeats a payment code', () => {
    const boleto = '34191.79001 01043.510047 91020.150008 5 84410026000';
    const pix =
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
    for (const code of [boleto, pix])
      for (const answer of [`Pague com o ${code}`, `Pague com o [${code}](https://p.br)`])
        expect(
          JSON.stringify(parseWpp(answer).items).split(code.slice(0, 20)),
          answer,
        ).to.have.length.at.most(2);
  });
});
