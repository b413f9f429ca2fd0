import { expect } from 'chai';
import { type PdfItem, pdfBlocksOf, pdfLinesOf } from '../../workers/domain/documents/pdf-blocks.ts';

const item = (text: string, x: number, y: number, size = 10): PdfItem => ({
  text,
  x,
  y,
  width: text.length * size * 0.5,
  size,
});
const blocksOf = (...pages: PdfItem[][]) => pdfBlocksOf(pages.map(pdfLinesOf));

describe('the blocks of a PDF', () => {
  it('keep a heading that stands at the top of every page, but for its number', () => {
    const pages = Array.from({ length: 6 }, (_, at) => [
      item(`Capítulo ${at + 1}`, 50, 700, 16),
      ...Array.from({ length: 4 }, (_line, line) =>
        item(`Texto ${'abcdef'[at]} ${line}.`, 50, 670 - 40 * line),
      ),
    ]);
    const headings = blocksOf(...pages).filter(({ kind }) => kind === 'heading');
    expect(headings).to.have.length(6);
  });

  it('are headings of larger fonts, and paragraphs of lines at usual distances', () => {
    const page = [
      item('Guia', 50, 700, 24),
      item('Biblioteca', 50, 660, 16),
      item('A biblioteca abre às 8h e', 50, 640),
      item('fecha às 22h, tam-', 50, 628),
      item('bém em julho.', 50, 616),
      item('Outro parágrafo.', 50, 580),
    ];
    expect(blocksOf(page)).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Guia', place: 'p. 1' },
      { kind: 'heading', level: 2, text: 'Biblioteca', place: 'p. 1' },
      { kind: 'text', text: 'A biblioteca abre às 8h e fecha às 22h, também em julho.', place: 'p. 1' },
      { kind: 'text', text: 'Outro parágrafo.', place: 'p. 1' },
    ]);
  });

  it('take no full stop in a larger font, and no large line that begins with a small letter, for a heading', () => {
    const page = [
      item('Guia', 50, 700, 24),
      item('O prazo acaba em maio', 50, 660),
      item('.', 155, 660, 16),
      item('conforme o edital', 50, 630, 16),
      item('A Seção atende pela manhã.', 50, 590),
    ];
    const blocks = blocksOf(page);
    expect(
      blocks.flatMap(({ kind, ...each }) => (kind === 'heading' && 'text' in each ? each.text : [])),
    ).to.deep.equal(['Guia']);
    expect(blocks.at(-1)).to.include({ text: 'A Seção atende pela manhã.' });
  });

  it('have a day of the week with its hyphen, also at the end of a line', () => {
    const page = [
      item('O cardápio de quarta-', 50, 700),
      item('feira e o das quintas-', 50, 688),
      item('feiras é vegetari-', 50, 676),
      item('ano.', 50, 664),
    ];
    const text = 'O cardápio de quarta-feira e o das quintas-feiras é vegetariano.';
    expect(blocksOf(page)).to.deep.equal([{ kind: 'text', text, place: 'p. 1' }]);
  });

  it('are tables where lines have the same columns', () => {
    const rows = [
      ['Curso', 'Valor'],
      ['Direito', 'R$ 1.200'],
      ['Letras', 'R$ 600'],
    ];
    const page = rows.flatMap(([a = '', b = ''], at) => [
      item(a, 50, 700 - at * 14),
      item(b, 300, 700 - at * 14),
    ]);
    expect(blocksOf(page)).to.deep.equal([
      {
        kind: 'table',
        header: ['Curso', 'Valor'],
        rows: [
          ['Direito', 'R$ 1.200'],
          ['Letras', 'R$ 600'],
        ],
        place: 'p. 1',
      },
    ]);
  });

  it('are without what most pages repeat, and a paragraph that goes on belongs to its first page', () => {
    const pages = Array.from({ length: 5 }, (_, at) => [
      item('Universidade — Guia', 50, 780),
      item(`Texto ${'abcde'[at]} que continua`, 50, 700),
      item(`na outra ${'fghij'[at]}.`, 50, 688),
      item(`Página ${at + 1} de 5`, 50, 30),
    ]);
    const [first, ...others] = pages;
    const cutOff = [...(first ?? []).slice(0, 2), ...(first ?? []).slice(3)];
    const next = [item('na outra página.', 50, 700), item('Fim.', 50, 600)];
    const blocks = blocksOf(cutOff, next, ...others.slice(1));
    expect(blocks[0]).to.deep.equal({
      kind: 'text',
      text: 'Texto a que continua na outra página.',
      place: 'p. 1',
    });
    expect(JSON.stringify(blocks)).to.not.match(/Universidade|Página \d/);
  });
});
