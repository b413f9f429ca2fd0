import { expect } from 'chai';
import { readPdf } from '../../../workers/knowledge/parser/read-pdf.ts';
import { makePdf } from '../../support/pdf.ts';

type Draw = Parameters<typeof makePdf>[0];

const read = async (draw: Draw) => (await readPdf(await makePdf(draw), () => {})).blocks;
const textsOf = async (draw: Draw) =>
  (await read(draw)).map(block => ('text' in block ? block.text : block.rows.flat().join(' | ')));
/** Rows of texts at these places, one below the other: the cells of its tables, and the texts between them. */
const tablesOf = async (rows: readonly Readonly<Record<number, string>>[]) => {
  const blocks = await read(pdf => {
    pdf.fontSize(10);
    for (const [at, cells] of rows.entries())
      for (const [x, text] of Object.entries(cells))
        pdf.text(text, Number(x), 100 + 16 * at, { lineBreak: false });
  });
  return blocks.flatMap((block): (string | readonly string[])[] =>
    'rows' in block ? [block.header, ...block.rows] : [block.text],
  );
};

describe('a page of a PDF', () => {
  it('is read along its lines, however they are turned, and a month along them stands in each of its rows', async () => {
    for (const angle of [0, 90, 180, 270]) {
      const blocks = await read(pdf => {
        pdf.fontSize(10).rotate(angle, { origin: [300, 400] });
        for (const [at, name] of ['Dia', '01', '13', '29'].entries()) {
          pdf.text(name, 150, 200 + 20 * at, { lineBreak: false });
          pdf.text(at === 0 ? 'Evento' : `Prova de ${name}`, 250, 200 + 20 * at, { lineBreak: false });
        }
        pdf.text('Mês', 90, 200, { lineBreak: false });
        const width = pdf.widthOfString('MAIO');
        pdf.rotate(-90, { origin: [100, 245] }).text('MAIO', 100 - width / 2, 245, { lineBreak: false });
      });
      expect(blocks, `${angle}`).to.deep.equal([
        {
          kind: 'table',
          header: ['Mês', 'Dia', 'Evento'],
          rows: ['01', '13', '29'].map(day => ['MAIO', day, `Prova de ${day}`]),
          place: 'p. 1',
        },
      ]);
    }
  });

  it('keeps the words of a link as they stand, and the address behind them once, below a heading or in brackets', async () => {
    const address = 'https://exemplo.br/edital.pdf';
    const printed = [
      ['www.exemplo.br', 'https://exemplo.br/'],
      ['https://exemplo.br/ edital.pdf', address],
      ['Fale conosco.', 'mailto:oi@exemplo.br'],
    ] as const;
    const texts = await textsOf(pdf => {
      pdf.fontSize(20).text('Guia', 72, 72, { link: 'https://exemplo.br/' }).fontSize(10);
      pdf.text('Leia antes o ', 72, 120, { continued: true }).text('edital completo', { link: address });
      pdf
        .text('da seleção', 72, 132, { continued: true, link: address })
        .text('. Ou escreva:', { link: null });
      pdf.text('oi@exemplo.br', 72, 144, { link: 'mailto:oi@exemplo.br' });
      pdf.text('Leia o regulamento', 72, 200, { goTo: 'fim' });
      pdf.text('São 40', 72, 260, { continued: true }).fontSize(6);
      pdf.text('1', { link: 'https://exemplo.br/nota', rise: 4 } as object);
      pdf.fontSize(10);
      for (const [at, [text, link]] of printed.entries())
        pdf.text(text, 72, 320 + 40 * at, { link, rise: 0 } as object);
    });
    expect(texts.slice(0, 4)).to.deep.equal([
      'Guia',
      'Guia (https://exemplo.br/)',
      `Leia antes o edital completo da seleção (${address}). Ou escreva: oi@exemplo.br`,
      'Leia o regulamento',
    ]);
    expect(texts.slice(-3)).to.deep.equal(['www.exemplo.br', address, 'Fale conosco (oi@exemplo.br).']);
  });

  it('has what was filled into its fields, beside the label, and nothing of hidden ones', async () => {
    const texts = await textsOf(pdf => {
      pdf.font('Helvetica').fontSize(11).initForm();
      const label = (text: string, x: number, y: number) => pdf.text(text, x, y, { lineBreak: false });
      label('Coordenação:', 72, 100);
      pdf.formText('a', 150, 96, 200, 18, { value: 'Lia Prado' });
      label('Mensalidade: R$', 72, 120);
      pdf.formText('b', 170, 116, 200, 18, { value: '1.450,00' });
      label('Campus:', 72, 140);
      pdf.formCombo('c', 150, 136, 200, 18, { select: ['Norte', 'Sul'], value: 'Sul' });
      const AP = { N: { On: pdf.ref({}), Off: pdf.ref({}) } };
      for (const part of Object.values(AP.N)) part.end(Buffer.alloc(0));
      const box = { Subtype: 'Widget', FT: 'Btn' };
      label('Manhã', 92, 160);
      pdf.annotate(74, 158, 14, 14, { ...box, AP, V: 'Off', AS: 'Off' } as object);
      label('Noite', 152, 160);
      pdf.annotate(134, 158, 14, 14, { ...box, AP, V: 'On', AS: 'On' } as object);
      const hidden = { Subtype: 'Widget', FT: 'Tx', V: new String('oculto'), F: 2 };
      pdf.annotate(150, 300, 200, 18, hidden as object);
      pdf.formText('f', 72, 180, 200, 60, { value: 'Aulas aos sábados.\nE à noite.', multiline: true });
    });
    expect(texts.flatMap(text => text.split('\n'))).to.deep.equal([
      'Coordenação: Lia Prado',
      'Mensalidade: R$ 1.450,00',
      'Campus: Sul',
      '[ ] Manhã [x] Noite',
      'Aulas aos sábados.',
      'E à noite.',
    ]);
  });

  it('has the words of letters that blanks or their places set apart', async () => {
    const texts = await textsOf(pdf => {
      pdf.fontSize(10).text('E D I T A L  D E  M A T R Í C U L A', 72, 72);
      pdf.text('CAMPUS NORTE', 72, 120, { characterSpacing: 4 });
      pdf.text('A B C D E', 72, 160);
    });
    expect(texts).to.deep.equal(['EDITAL DE MATRÍCULA', 'CAMPUS NORTE', 'A B C D E']);
  });

  it('has no amount under another one, wherever the sign of its currency stands', async () => {
    expect(
      await tablesOf([
        { 72: 'Curso', 200: 'Manhã', 300: 'Noite' },
        { 72: 'Direito', 200: 'R$', 220: '900,00', 300: 'R$', 320: '1.000,00' },
        { 72: 'Letras', 220: '500,00', 320: '600,00' },
        { 72: 'Física', 320: '450,00' },
      ]),
    ).to.deep.equal([
      ['Curso', 'Manhã', 'Noite'],
      ['Direito', 'R$ 900,00', 'R$ 1.000,00'],
      ['Letras', '500,00', '600,00'],
      ['Física', '', '450,00'],
    ]);
  });

  it('has no row under the month of another one', async () => {
    const days = [
      { 72: '01', 140: 'Início' },
      { 72: '15 a 19', 140: 'Ajuste' },
    ];
    const alone = [...days, { 72: 'ABRIL' }, ...days, { 140: 'MAIO DE 2027' }, ...days];
    const told = [
      ['01', 'Início'],
      ['15 a 19', 'Ajuste'],
    ];
    expect(await tablesOf(alone)).to.deep.equal([...told, 'ABRIL', ...told, 'MAIO DE 2027', ...told]);
    const wrapped = [...days, { 72: '20', 140: 'Reunião de' }, { 140: 'Maio' }, { 72: '21', 140: 'Fim' }];
    expect(await tablesOf(wrapped)).to.deep.equal([...told, ['20', 'Reunião de Maio'], ['21', 'Fim']]);
    const atTop = [
      { 72: 'Mês', 140: 'Dia', 200: 'Evento' },
      { 72: 'Março', 140: '05', 200: 'Volta' },
      { 140: '12', 200: 'Prova' },
      { 72: 'Abril', 140: '03', 200: 'Feriado' },
      { 140: '20', 200: 'Prova' },
      { 72: 'Maio', 140: '01', 200: 'Fim' },
    ];
    const [, , prova, abril, , maio] = await tablesOf(atTop);
    expect([prova, abril, maio]).to.deep.equal([
      ['', '12', 'Prova'],
      ['Abril', '03', 'Feriado'],
      ['Maio', '01', 'Fim'],
    ]);
  });
});
