import { expect } from 'chai';
import fc from 'fast-check';
import type { Block } from '../../workers/domain/documents/block.ts';
import { type PdfItem, pdfBlocksOf, pdfLinesOf } from '../../workers/domain/documents/pdf-blocks.ts';

const item = (text: string, x: number, y: number, size = 10): PdfItem => ({
  text,
  x,
  y,
  width: text.length * size * 0.5,
  size,
});
const row = (y: number, ...cells: readonly (readonly [number, string])[]) =>
  cells.map(([x, text]) => item(text, x, y));
const textsOf = (blocks: readonly Block[]) =>
  blocks.flatMap(block => ('text' in block ? block.text.split('\n') : []));
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

  it('keep small digits above the line out of the number before them', () => {
    const raised = (text: string, mark: string, y: number) => [
      item(text, 50, y),
      item(mark, 50 + 5 * text.length, y + 3.5, 6),
    ];
    const page = [
      ...raised('Número de bolsas: 12', '3', 700),
      item(' meses', 153, 700),
      ...raised('Valor da bolsa: R$ 450', '50', 660),
      ...raised('Área da sala: 50 m', '2', 620),
      item('3', 50, 583.5, 6),
      ...raised('15 bolsas são novas em 2027', '1', 580).map(each => ({ ...each, x: each.x + 3 })),
      item('São 4', 50, 540),
      item('5', 75, 540, 6),
    ];
    expect(textsOf(blocksOf(page))).to.deep.equal([
      'Número de bolsas: 12³ meses',
      'Valor da bolsa: R$ 450,50',
      'Área da sala: 50 m²',
      '³ 15 bolsas são novas em 2027¹',
      'São 45',
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

  it('are whole paragraphs, however far apart the lines of the page stand', () => {
    const page = [
      item('Art. 12. O trancamento da pós-', 50, 700, 12),
      item('graduação pode ser pedido até o dia', 50, 679.3, 12),
      item('trinta do período, pelo portal.', 50, 658.6, 12),
      item('Art. 13. A prorrogação é concedida.', 50, 637.9, 12),
    ];
    expect(textsOf(blocksOf(page))).to.deep.equal([
      'Art. 12. O trancamento da pós-graduação pode ser pedido até o dia trinta do período, pelo portal.',
      'Art. 13. A prorrogação é concedida.',
    ]);
  });

  it('begin anew where a line ends before its room does, and go on where it begins with a small letter', () => {
    const page = [
      item('Os documentos são entregues pelo portal do aluno, e', 50, 700),
      item('cada um é conferido.', 50, 688),
      item('Quem não os entrega perde', 50, 676),
      item('a vaga.', 50, 664),
    ];
    expect(textsOf(blocksOf(page))).to.deep.equal([
      'Os documentos são entregues pelo portal do aluno, e cada um é conferido.',
      'Quem não os entrega perde a vaga.',
    ]);
  });

  it('are headings of another font than that of the text, numbers below numbers', () => {
    const bold = (text: string, y: number) => ({ ...item(text, 50, y), font: 'bold' });
    const text = (of: string, y: number) => ({ ...item(of, 50, y), font: 'text' });
    const page = [
      bold('1 - DAS INSCRIÇÕES', 700),
      text('A inscrição é feita pelo portal, e só pelo portal da instituição de ensino.', 688),
      bold('1.1 - Do pagamento', 676),
      text('O valor é pago por Pix, e o recibo vale como a confirmação da inscrição', 664),
      bold('de quem paga', 652),
      text('até o fim do prazo.', 640),
      ...Array.from({ length: 12 }, (_, at) =>
        text('O prazo é o do edital, que o portal da instituição mostra.', 600 - 30 * at),
      ),
    ];
    expect(
      blocksOf(page)
        .slice(0, 4)
        .map(block => [block.kind, 'level' in block ? block.level : 0]),
    ).to.deep.equal([
      ['heading', 1],
      ['text', 0],
      ['heading', 2],
      ['text', 0],
    ]);
  });

  it('are tables of close columns, whose cells of several lines stay one cell', () => {
    const page = [
      ...row(700, [50, 'Evento'], [170, 'Data']),
      ...row(684, [50, 'Inscrição em disciplinas'], [176, '25/08']),
      ...row(668, [50, 'Consulta à situação']),
      ...row(656, [50, 'final do pedido']),
      ...row(662, [176, '05/09']),
      ...row(640, [50, 'Colação de grau'], [170, '16/03/28']),
    ];
    expect(blocksOf(page)).to.deep.equal([
      {
        kind: 'table',
        header: ['Evento', 'Data'],
        rows: [
          ['Inscrição em disciplinas', '25/08'],
          ['Consulta à situação final do pedido', '05/09'],
          ['Colação de grau', '16/03/28'],
        ],
        place: 'p. 1',
      },
    ]);
  });

  it('are tables whose groups of columns have their names in the header', () => {
    const page = [
      ...row(730, [260, 'Noite'], [400, 'Manhã e tarde']),
      ...row(722, [50, 'Curso']),
      ...row(714, [240, 'Ampla'], [290, 'Cotas'], [390, 'Ampla'], [440, 'Cotas']),
      ...row(700, [50, 'Direito'], [245, '10'], [295, '8'], [395, '49'], [445, '41']),
      ...row(686, [50, 'Letras'], [245, '5'], [295, '3'], [395, '21'], [445, '19']),
    ];
    const [block] = blocksOf(page);
    expect(block).to.include({ kind: 'table' });
    expect(block).to.have.deep.property('header', [
      'Curso',
      'Noite · Ampla',
      'Noite · Cotas',
      'Manhã e tarde · Ampla',
      'Manhã e tarde · Cotas',
    ]);
  });

  it('are tables of rows at the middle of their cells, each month with its own, however close the rows stand', () => {
    const page = [
      ...row(700, [80, 'Data'], [150, 'Evento']),
      ...row(684, [280, 'JULHO']),
      ...row(668, [150, 'Pedido de colação de grau de agosto']),
      ...row(661, [80, '01 a 31']),
      ...row(654, [150, 'Para concluintes']),
      ...row(637, [80, '29'], [150, 'Colação de grau']),
      ...row(620.5, [280, 'AGOSTO']),
      ...row(604, [150, 'Matrícula dos aprovados na']),
      ...row(590, [80, '02 a 09'], [150, 'Primeira chamada, com os']),
      ...row(576, [150, 'Documentos']),
      ...row(559.5, [80, '26 a 30'], [150, 'Fim do prazo']),
    ];
    const header = ['Data', 'Evento'];
    expect(blocksOf(page).map(block => ('rows' in block ? [block.header, block.rows] : block))).to.deep.equal(
      [
        { kind: 'text', text: 'JULHO', place: 'p. 1' },
        [
          header,
          [
            ['01 a 31', 'Pedido de colação de grau de agosto Para concluintes'],
            ['29', 'Colação de grau'],
          ],
        ],
        { kind: 'text', text: 'AGOSTO', place: 'p. 1' },
        [
          header,
          [
            ['02 a 09', 'Matrícula dos aprovados na Primeira chamada, com os Documentos'],
            ['26 a 30', 'Fim do prazo'],
          ],
        ],
      ],
    );
  });

  it('are tables whose first cell, in the middle of several rows, is that of each', () => {
    const page = [
      ...row(700, [50, 'Mês'], [120, 'Dia'], [200, 'Evento']),
      ...row(682, [120, '01'], [200, 'Início']),
      ...row(673, [50, 'Maio']),
      ...row(664, [120, '13'], [200, 'Provas']),
      ...row(646, [120, '02'], [200, 'Recesso']),
      ...row(628, [50, 'Junho'], [120, '09'], [200, 'Aulas']),
      ...row(610, [120, '11'], [200, 'Fim do semestre']),
    ];
    const [table] = blocksOf(page);
    expect(table && 'rows' in table && table.rows).to.deep.equal([
      ['Maio', '01', 'Início'],
      ['Maio', '13', 'Provas'],
      ['Junho', '02', 'Recesso'],
      ['Junho', '09', 'Aulas'],
      ['Junho', '11', 'Fim do semestre'],
    ]);
  });

  it('take no row of a table that is too short for one as a heading', () => {
    const rows = (top: number, ...texts: string[]) =>
      texts.flatMap((text, at) =>
        row(top - 18 * at, [50, `0${at + 1}`], [120, text]).map(each => ({ ...each, font: 'table' })),
      );
    const note = (y: number) => ({
      ...item('As datas podem mudar, como se diz no edital do campus em que o curso é dado.', 50, y),
      font: 'text',
    });
    const page = [
      ...rows(700, 'Início', 'Provas', 'Fim'),
      note(600),
      ...rows(560, 'Recesso', 'Volta'),
      note(480),
    ];
    expect(blocksOf(page).filter(({ kind }) => kind === 'heading')).to.deep.equal([]);
  });

  it('have the header of a table that goes on on the next page', () => {
    const rows = (...names: string[]) =>
      names.flatMap((name, at) =>
        row(700 - at * 14, [50, name], [300, name === 'Curso' ? 'Turno' : 'noite']),
      );
    const tables = blocksOf(rows('Curso', 'Direito', 'Letras'), rows('Física', 'Química', 'Música'));
    expect(tables.map(block => 'header' in block && block.header)).to.deep.equal([
      ['Curso', 'Turno'],
      ['Curso', 'Turno'],
    ]);
    expect(tables[1]).to.have.property('rows').with.length(3);
  });

  it('are no tables where columns of sentences stand side by side, in whatever order they were drawn', () => {
    const left = [
      'A biblioteca abre às oito',
      'horas e fecha às dez da',
      'noite, também em julho.',
      'Aos sábados fecha às',
      'doze horas.',
    ];
    const right = [
      'O restaurante serve o',
      'almoço a partir das onze',
      'horas e o jantar até as',
      'vinte horas, com o cartão',
      'do aluno.',
    ];
    const lineByLine = left.flatMap((text, at) => row(700 - at * 12, [50, text], [300, right[at] ?? '']));
    for (const page of [lineByLine, lineByLine.toSorted((a, b) => a.x - b.x)]) {
      expect(textsOf(blocksOf(page)).join(' ')).to.equal([...left, ...right].join(' '));
      expect(blocksOf(page).every(({ kind }) => kind === 'text')).to.equal(true);
    }
  });

  it('are lists, no tables, where marks stand before their texts', () => {
    const page = ['I', 'II', 'III', 'IV'].flatMap((mark, at) =>
      row(700 - at * 14, [50, mark], [80, `- Item da lista número ${at}.`]),
    );
    expect(textsOf(blocksOf(page))[1]).to.equal('II - Item da lista número 1.');
  });

  it('are without the address and the number at the foot of a printed page, although both change', () => {
    const pages = Array.from({ length: 12 }, (_, at) => [
      item(`Texto ${'abcdefghijkl'[at]} que fica.`, 50, 700),
      item(`https://sei.exemplo.edu.br/?id=25${at < 9 ? '17&infra_si…' : '1…'}`, 24, 16),
      item(`${at + 1}/12`, 550, 16),
    ]);
    expect(JSON.stringify(blocksOf(...pages))).to.not.match(/sei|\/12/);
  });

  it('have every word of the lines, whatever stands where', () => {
    const aWord = fc.record({
      start: fc.constantFrom('A', 'b', 'Art. ', '1.1 - ', 'a) '),
      end: fc.constantFrom('', '.', ',', '-', ':'),
      x: fc.nat(11),
      y: fc.nat(60),
      size: fc.integer({ min: 8, max: 11 }),
      font: fc.constantFrom('text', 'text', 'bold'),
    });
    fc.assert(
      fc.property(fc.array(fc.array(aWord, { maxLength: 60 }), { maxLength: 3 }), pages => {
        const items = pages.map((page, number) =>
          page.map(({ start, end, x, y, size, font }, at) => ({
            ...item(`${start}${number}x${at}w${end}`, 40 + 40 * x, 100 + 6 * y, size),
            font,
          })),
        );
        const said = JSON.stringify(blocksOf(...items));
        const words = items.flat().map(({ text }) => /\d+x\d+w/.exec(text)?.[0] ?? '');
        expect(words.filter(word => !said.includes(word))).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });

  it('are found on a page where twenty thousand texts stand in no line', () => {
    const page = Array.from({ length: 20_000 }, (_, at) =>
      item('a b', (at * 7_919) % 600, ((at * 104_729) % 20_000) / 10, 1),
    );
    expect(blocksOf(page)).to.not.deep.equal([]);
  });
});
