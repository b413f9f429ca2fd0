import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

const file = new URL('sentences-with-links.md', import.meta.url);
const sentences = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line !== '' && !/^##? (?:Sentences|Verbs|Portuguese|English|Spanish)/.test(line));

/** What no message may end in: prepositions, articles, and verbs that lead to their object. */
const UNFINISHED =
  /(?:^|[\s*_("“])(?:[ao]s?|à|às|aos?|uma?|uns|d[aeo]s?|em|n[ao]s?|num|numa|pel[ao]s?|por|pr[ao]|para|com|sem|sobre|até|após|desde|entre|via|este|esse|neste|nesta|seu|sua|nosso|nossa|é|são|está|estão|ficam?|el|la|los|las|al|del|en|con|sin|según|un|una|su|es|son|están|the|an|at|on|in|to|of|by|for|with|our|your|this|these|is|are)[*_)"”.,;!?\s]*$/i;
const UNFINISHED_VERB =
  /(?:^|[\s*_("“])(?:acess(?:e|ar)|consult(?:e|ar)|confira|veja|leia|baixe|cli(?:que|car)|visite|preencher|abram?|siga|usa|imprima|envie|acompanhar|conheça|ouça|assine|busque|tem|segue|read|visit|see|open|download|vea|descargue|rellene)(?: (?:também|also))?[*_)"”.,;!?\s]*$/i;

const textsOf = (items: readonly WppItem[]) =>
  items.flatMap(({ type, content }) => (type === 'text' ? content : []));
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const namesOf = (items: readonly WppItem[]) =>
  items.flatMap(item => ('url' in item ? item.description || item.url : []));

function countedWords(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of texts.flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The sentence, and the texts of its messages. */
const READ: readonly (readonly [answer: string, ...texts: string[]])[] = [
  ['A inscrição é feita em https://x.br/y.', 'A inscrição é feita em https://x.br/y.'],
  ['Acesse o [portal](https://p.br) hoje.', 'Acesse o portal', 'hoje.'],
  ['A [loja](https://p.br) abre às 8h.', 'A loja', 'abre às 8h.'],
  ['**Acesse o [portal](https://p.br)** hoje.', '*Acesse o portal*', 'hoje.'],
  ['O edital está **[aqui](https://p.br)**.', 'O edital está *aqui*.'],
  ['Está em "https://p.br".', 'Está em "https://p.br".'],
  ['Veja (em https://p.br) a lista.', 'Veja (em https://p.br)', 'a lista.'],
  ['É feita em\nhttps://p.br.', 'É feita em\nhttps://p.br.'],
  ['Em [um](https://a.br), [dois](https://b.br) ou [três](https://c.br).', 'Em um,', 'ou três.'],
  ['Em www.a.br, e no ![mapa](https://a.br/b.png)', 'Em https://www.a.br,', 'e no mapa'],
  ['- no [a](https://a.br);\n- na [b](https://b.br).', '- no a;', '- na b.'],
  ['Consulte https://p.br.', 'Consulte https://p.br.'],
  ['Acesse https://p.br e https://q.br', 'Acesse https://p.br', 'e https://q.br'],
  ['Confira\n[as datas](https://p.br)', 'Confira\nas datas'],
  ['Para saber mais, clique [aqui](https://p.br)!', 'Para saber mais, clique aqui!'],
  ['Você pode consultar [as notas](https://p.br) hoje.', 'Você pode consultar as notas', 'hoje.'],
  ['Veja também [o edital](https://p.br).', 'Veja também o edital.'],
  ['Acesse, por favor, https://p.br.', 'Acesse, por favor, https://p.br.'],
  ['**Baixe** [o guia](https://p.br).', '*Baixe* o guia.'],
  ['Segue [a lista](https://p.br).', 'Segue a lista.'],
  ['O site é https://p.br', 'O site é https://p.br'],
  ['Consulte agora https://p.br', 'Consulte agora https://p.br'],
  ['Acesse por favor https://p.br', 'Acesse por favor https://p.br'],
  ['Ao acessar https://p.br, espere.', 'Ao acessar https://p.br,', 'espere.'],
  ['You need to visit https://p.br', 'You need to visit https://p.br'],
  ['Estamos usando https://p.br', 'Estamos usando https://p.br'],
  ['Also read [the guide](https://p.br).', 'Also read the guide.'],
  ['Descargue [la guía](https://p.br).', 'Descargue la guía.'],
  // What does not lean stays as it is, and so does what ends in a colon.
  ['Acesse: https://p.br', 'Acesse:'],
  ['Confira:\n[as datas](https://p.br)', 'Confira:'],
  ['O site é: https://p.br', 'O site é:'],
  ['Preencha o formulário, por favor: https://p.br', 'Preencha o formulário, por favor:'],
  ['Veja as notas até agora: https://p.br', 'Veja as notas até agora:'],
  ['Link de consulta: https://p.br', 'Link de consulta:'],
  ['See our offer: https://p.br', 'See our offer:'],
  ['Compra: https://p.br', 'Compra:'],
  ['O segundo: https://p.br', 'O segundo:'],
  ['Preencha o formulário, por favor https://p.br', 'Preencha o formulário, por favor'],
  ['As notas até agora https://p.br', 'As notas até agora'],
  ["That's all for now https://p.br", "That's all for now"],
  ['Link de consulta https://p.br', 'Link de consulta'],
  ['Link para compra https://p.br', 'Link para compra'],
  ['See our offer https://p.br', 'See our offer'],
  ['Site: https://p.br', 'Site:'],
  ['Inscreva-se [aqui](https://p.br)', 'Inscreva-se'],
  ['Faça a consulta [aqui](https://p.br)', 'Faça a consulta'],
  ['Não consigo acessar. https://p.br', 'Não consigo acessar.'],
  ['Acesse:\n- https://p.br\n- https://q.br', 'Acesse:'],
  ['Opção a: https://p.br', 'Opção a:'],
  ['Acesse o link https://p.br.', 'Acesse o link.'],
  ['Baixe-o https://p.br', 'Baixe-o'],
  ['A opção A https://p.br', 'A opção A'],
  ['a letra "a" https://p.br', 'a letra "a"'],
  ['Há uma nota a[1](https://p.br)', 'Há uma nota a'],
  ['Contato em\n- https://p.br', 'Contato em'],
  ['Contato em\n\nhttps://p.br', 'Contato em'],
  ['|no|https://p.br|\n|-|-|\n|a|[b](https://q.br)|', 'no', 'a'],
];

describe('The text before a link', () => {
  for (const [answer, ...texts] of READ)
    it(`is ${JSON.stringify(texts)} in ${JSON.stringify(answer)}`, () => {
      expect(textsOf(parseWpp(answer).items)).to.deep.equal(texts);
    });

  it(`ends in no word that needs an object, in ${sentences.length} sentences`, () => {
    expect(sentences).to.have.length.above(229);
    const unfinished = sentences.flatMap(sentence =>
      textsOf(parseWpp(sentence).items).filter(
        content => UNFINISHED.test(content) || UNFINISHED_VERB.test(content),
      ),
    );
    expect(unfinished).to.deep.equal([]);
  });

  it('repeats nothing but the names of links, and loses no word', () => {
    for (const sentence of sentences) {
      const { items } = parseWpp(sentence);
      const written = countedWords([sentence.replaceAll('<', ' ')]);
      const shown = countedWords(
        items.flatMap(item => ('url' in item ? [item.description, item.url] : item.content)),
      );
      const names = countedWords(namesOf(items));
      for (const [word, times] of written) expect(shown.get(word), word).to.be.at.least(times);
      for (const [word, times] of shown)
        expect(times - (written.get(word) ?? (word === 'https' ? 1 : 0)), word).to.be.at.most(
          names.get(word) ?? 0,
        );
    }
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
