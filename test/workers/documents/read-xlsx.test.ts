import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { makeXlsx, rowOf, type Sheet } from '../../support/xlsx.ts';

const read = async (bytes: Uint8Array) => {
  const result = await parseDocument({ kind: 'xlsx', bytes }, () => {});
  return 'text' in result ? result.text : expect.fail('It is a sitemap.');
};
const textsOf = async (bytes: Uint8Array) =>
  (await read(bytes)).blocks.map(block => 'text' in block && block.text);
const reasonOf = (bytes: Uint8Array): Promise<string> =>
  parseDocument({ kind: 'xlsx', bytes }, () => {}).then(
    () => 'read',
    error => error.reason ?? error.message,
  );
const sheetOf = (rows: string, more: Partial<Sheet> = {}): Sheet => ({ name: 'Cursos', rows, ...more });
const formatted = (...formats: string[]) =>
  `<numFmts>${formats.map((format, at) => `<numFmt numFmtId="${170 + at}" formatCode="${format.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts>
   <fonts><font/><font><strike/></font></fonts><cellStyleXfs><xf/></cellStyleXfs>
   <cellXfs><xf numFmtId="0"/><xf numFmtId="0" fontId="1"/>${formats.map((_, at) => `<xf numFmtId="${170 + at}"/>`).join('')}</cellXfs>`;

describe('a sheet', () => {
  it('has a record of each row, with the header below titles and blank rows as labels', async () => {
    const rows = [
      rowOf(2, ['', 'Mensalidades de 2027']),
      rowOf(4, ['', 'Curso', 'Valor']),
      rowOf(5, ['', 'Direito', [1200, 0]]),
      rowOf(9, ['', 'Letras &amp; Artes', '<c t="s"><v>1</v></c>']),
    ];
    const texts =
      '<si><t>fora</t></si><si><r><t xml:space="preserve">a </t></r><r><t>definir</t></r><rPh><t>kana</t></rPh></si>';
    const { blocks } = await read(makeXlsx([sheetOf(rows.join(''))], { texts }));
    expect(blocks).to.deep.equal([
      { kind: 'text', text: 'Mensalidades de 2027' },
      { kind: 'entry', text: 'Curso: Direito\nValor: 1200', place: 'row 5' },
      { kind: 'entry', text: 'Curso: Letras & Artes\nValor: a definir', place: 'row 9' },
    ]);
  });

  it('is a section with its name where there are several, but for hidden sheets and columns', async () => {
    const rows = rowOf(1, ['Curso', 'Custo', 'Vagas']) + rowOf(2, ['Direito', 'segredo', [40, 0]]);
    const bytes = makeXlsx([
      sheetOf(rows, { before: '<cols><col min="2" max="2" hidden="1"/></cols>' }),
      sheetOf(rows, { name: 'Oculta', isHidden: true }),
      sheetOf('', { name: 'Vazia' }),
      sheetOf(
        '<row><c t="inlineStr"><is><t>Polo</t></is></c></row><row><c t="inlineStr"><is><t>Sul</t></is></c></row>',
        {
          name: 'Polos',
        },
      ),
    ]);
    expect((await read(bytes)).blocks).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Cursos' },
      { kind: 'entry', text: 'Curso: Direito\nVagas: 40', place: 'Cursos, row 2' },
      { kind: 'heading', level: 1, text: 'Polos' },
      { kind: 'entry', text: 'Polo: Sul', place: 'Polos, row 2' },
    ]);
  });

  it('has merged cells in each of their rows and columns, and one header', async () => {
    const rows = [
      rowOf(1, ['Vagas de 2027', '', '', '']),
      rowOf(2, ['Curso', 'Vagas', '', 'Local']),
      rowOf(3, ['', 'Ampla', 'Cotas', '']),
      rowOf(4, ['Direito', [20, 0], [21, 0], 'Sul']),
      rowOf(5, ['', 'a definir', '', 'Norte']),
      rowOf(6, ['Noite', '', '', '']),
    ];
    const areas = ['A1:D1', 'A2:A3', 'B2:C2', 'D2:D3', 'A4:A5', 'B5:C5', 'A6:XFD1048576', 'F1:H9'];
    const after = `<mergeCells>${areas.map(area => `<mergeCell ref="${area}"/>`).join('')}</mergeCells>`;
    expect(await textsOf(makeXlsx([sheetOf(rows.join(''), { after })]))).to.deep.equal([
      'Vagas de 2027',
      'Curso: Direito\nVagas · Ampla: 20\nVagas · Cotas: 21\nLocal: Sul',
      'Curso: Direito\nVagas · Ampla: a definir\nVagas · Cotas: a definir\nLocal: Norte',
      'Curso: Noite',
    ]);
    const backwards = `<mergeCells>${areas.map(area => `<mergeCell ref="${area.split(':').toReversed().join(':')}"/>`).join('')}</mergeCells>`;
    expect(await textsOf(makeXlsx([sheetOf(rows.join(''), { after: backwards })]))).to.deep.equal(
      await textsOf(makeXlsx([sheetOf(rows.join(''), { after })])),
    );
    const laidOut = rowOf(1, ['Curso', '', 'Turno']) + rowOf(2, ['Direito', '', 'Noite']);
    const wide = '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A2:B2"/></mergeCells>';
    expect(await textsOf(makeXlsx([sheetOf(laidOut, { after: wide })]))).to.deep.equal([
      'Curso: Direito\nTurno: Noite',
    ]);
  });

  it('has numbers and dates as they are shown in Brazil', async () => {
    const cases: readonly (readonly [value: number, format: string, shown: string])[] = [
      [1200.5, '"R$" #,##0.00', 'R$ 1.200,50'],
      [1200.5, '[$R$-416]\\ #,##0.00;[Red]\\-[$R$-416]\\ #,##0.00', 'R$ 1.200,50'],
      [-1200.5, '_-"R$"* #,##0.00_-;-"R$"* #,##0.00_-', '-R$ 1.200,50'],
      [1234.5, '[$-409]#,##0.00', '1.234,50'],
      [0.125, '0.0%', '12,5%'],
      [12345678909, '000"."000"."000"-"00', '123.456.789-09'],
      [46388, 'm/d/yy', '01/01/2027'],
      [46388, '[$-409]m/d/yy h:mm AM/PM;@', '01/01/2027 00:00'],
      [46388.5, 'yyyy-mm-dd hh:mm:ss', '01/01/2027 12:00:00'],
      [46388, 'd" de "mmmm" de "yyyy', '1 de janeiro de 2027'],
      [46388, '[$-409]mmm/yyyy', 'jan/2027'],
      [0.8125, 'h:mm', '19:30'],
      [1.5, '[h]:mm', '36:00'],
      [0.1 + 0.2, 'General', '0,3'],
      [5511987654321, 'General', '5511987654321'],
      [7, '@', '7'],
      [7, 'bad[[', '7'],
    ];
    const rows = cases.map(([value], at) => rowOf(at + 2, ['a', [value, at + 2]])).join('');
    const styles = formatted(...cases.map(([, format]) => format));
    const texts = await textsOf(makeXlsx([sheetOf(rowOf(1, ['Nome', 'Valor']) + rows)], { styles }));
    expect(texts).to.deep.equal(cases.map(([, , shown]) => `Nome: a\nValor: ${shown}`));
    const builtIn = '<cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="44"/></cellXfs>';
    const known =
      rowOf(1, ['Dia', 'Taxa', 'Valor']) +
      rowOf(2, [
        [44926, 1],
        [0.5, 2],
        [3, 3],
      ]);
    const properties = '<workbookPr date1904="1"/>';
    expect(await textsOf(makeXlsx([sheetOf(known)], { styles: builtIn, properties }))).to.deep.equal([
      'Dia: 01/01/2027\nTaxa: 50%\nValor: R$ 3,00',
    ]);
  });

  it('has the values of formulas, links, and neither errors nor what is struck through', async () => {
    const rows = [
      rowOf(1, ['Item', 'Valor', 'Onde']),
      rowOf(2, [
        'Taxa',
        '<c><f>A1*2</f><v>2401</v></c>',
        '<c t="str"><f>HYPERLINK("https://a.br/x","Edital")</f><v>Edital</v></c>',
      ]),
      rowOf(3, ['Multa', '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', '<c t="str"><f>A1</f></c>']),
      rowOf(4, ['Site', '<c t="b"><v>1</v></c>', '<c t="d"><v>2027-03-05</v></c>']),
      rowOf(5, ['<c t="s"><v>0</v></c>', '<c s="1"><v>900</v></c>', '<c s="99"><v>0.5</v></c>']),
    ];
    const texts = '<si><r><t xml:space="preserve">novo </t></r><r><rPr><strike/></rPr><t>velho</t></r></si>';
    const after = '<hyperlinks><hyperlink ref="A4" r:id="r0"/><hyperlink ref="A5" r:id="r7"/></hyperlinks>';
    const sheet = sheetOf(rows.join(''), { after, links: ['https://b.br/'] });
    const { blocks, struck } = await read(makeXlsx([sheet], { styles: formatted(), texts }));
    expect(blocks.map(block => 'text' in block && block.text)).to.deep.equal([
      'Item: Taxa\nValor: 2401\nOnde: [Edital](https://a.br/x)',
      'Item: Multa',
      'Item: [Site](https://b.br/)\nValor: VERDADEIRO\nOnde: 05/03/2027',
      'Item: novo\nOnde: 0,5',
    ]);
    expect(struck).to.equal(2);
  });

  it('keeps raised digits out of the number before them, in a text of its own or a shared one', async () => {
    const run = (text: string, place: string) =>
      `<r><rPr><vertAlign val="${place}"/></rPr><t>${text}</t></r>`;
    const text = `<r><t>12</t></r>${run('3', 'superscript')}<r><t> de 15</t></r>${run('4', 'superscript')}`;
    const price = `<r><t>R$ 450</t></r>${run('50', 'superscript')}<r><t>, H</t></r>${run('2', 'subscript')}`;
    const rows = [
      rowOf(1, ['Bolsas', 'Valor']),
      rowOf(2, [`<c t="inlineStr"><is>${text}</is></c>`, '<c t="s"><v>0</v></c>']),
    ];
    const bytes = makeXlsx([sheetOf(rows.join(''))], { texts: `<si>${price}</si>` });
    expect(await textsOf(bytes)).to.deep.equal(['Bolsas: 12³ de 15⁴\nValor: R$ 450,50, H2']);
  });

  it('stands under a merged or bold row, and has a bold row as the header of a further table', async () => {
    const styles = '<fonts><font/><font><b/></font></fonts><cellXfs><xf/><xf fontId="1"/></cellXfs>';
    const bold = (text: string) => `<c s="1" t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = [
      rowOf(1, [bold('Curso'), bold('Turno')]),
      rowOf(2, [bold('Humanas'), '']),
      rowOf(3, ['Direito', 'Noite']),
      rowOf(4, ['Exatas', '']),
      rowOf(5, ['Física', 'Dia']),
      rowOf(6, [bold('Peça'), bold('Cor')]),
      rowOf(7, ['Roda', 'Preta']),
    ];
    const after = '<mergeCells><mergeCell ref="A4:B4"/></mergeCells>';
    const { blocks } = await read(makeXlsx([sheetOf(rows.join(''), { after })], { styles }));
    expect(blocks.map(({ kind, ...block }) => [kind, 'text' in block && block.text])).to.deep.equal([
      ['heading', 'Humanas'],
      ['entry', 'Curso: Direito\nTurno: Noite'],
      ['heading', 'Exatas'],
      ['entry', 'Curso: Física\nTurno: Dia'],
      ['heading', ''],
      ['entry', 'Peça: Roda\nCor: Preta'],
    ]);
  });

  it('is one table around a hidden column and a row that is struck through', async () => {
    const rows = [
      rowOf(1, ['Curso', 'Vagas', '', 'Professora', 'Título']),
      rowOf(2, ['Direito', 'dez', 'x', 'Ana', 'Mestra']),
      rowOf(3, ['<c s="1"><v>9</v></c>']),
      rowOf(4, ['Letras', 'vinte', 'x', 'Bia', 'Doutora']),
    ];
    const before = '<cols><col min="3" max="3" hidden="1"/></cols>';
    const bytes = makeXlsx([sheetOf(rows.join(''), { before })], { styles: formatted() });
    expect(await textsOf(bytes)).to.deep.equal([
      'Curso: Direito\nVagas: dez\nProfessora: Ana\nTítulo: Mestra',
      'Curso: Letras\nVagas: vinte\nProfessora: Bia\nTítulo: Doutora',
    ]);
  });

  it('is refused by name where it is none, or would become too much', async () => {
    const far = rowOf(1, ['a', 'b']);
    const cellAt = (place: string) => `<c r="${place}"><v>1</v></c>`;
    const rows = (count: number, row: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => row(at + 1)).join('');
    const merged = `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000)}</mergeCells>`;
    const long = `<si><t>${'a'.repeat(32_767)}</t></si>`;
    const cases: readonly (readonly [bytes: Uint8Array, reason: string])[] = [
      [makeXlsx([sheetOf('')]), 'no-text'],
      [zipSync({ 'word/document.xml': strToU8('<a/>') }), 'wrong-kind'],
      [Buffer.from('Curso;Valor'), 'wrong-kind'],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'encrypted'],
      [makeXlsx([sheetOf(far)]).subarray(0, 200), 'broken'],
      [makeXlsx([sheetOf(`<row r="1">${cellAt('ZZZ1')}</row>`)]), 'broken'],
      // Cells between two far ones are not there, and neither are those that a sheet only says it has.
      [
        makeXlsx([
          sheetOf(
            `<row r="1">${cellAt('A1')}${cellAt('XFD1')}</row><row r="1048576">${cellAt('A1048576')}</row>`,
            { before: '<dimension ref="A1:XFD1048576"/>' },
          ),
        ]),
        'read',
      ],
      [
        makeXlsx([sheetOf(rows(100_000, at => `<row r="${at}">${cellAt(`A${at}`)}<c r="XFD${at}"/></row>`))]),
        'read',
      ],
      [
        makeXlsx([sheetOf(rows(100, at => `<row r="${at}">${cellAt(`XFD${at}`)}</row>`))]),
        'too-many-passages',
      ],
      [
        makeXlsx([
          sheetOf(
            rows(40, at => rowOf(at, ['a', 'b'])),
            { after: merged },
          ),
        ]),
        'read',
      ],
      [
        makeXlsx([
          sheetOf(
            rows(400, at => rowOf(at, ['a', 'b', 'c', 'd'])),
            { after: merged },
          ),
        ]),
        'too-many-passages',
      ],
      [
        makeXlsx([
          sheetOf(
            `<row r="1">${cellAt('A1')}${cellAt('XFD1')}</row>${rows(100, at => rowOf(at + 1, ['a']))}`,
            {
              after: '<mergeCells><mergeCell ref="XFD1:XFD101"/></mergeCells>',
            },
          ),
        ]),
        'too-many-passages',
      ],
      [
        makeXlsx([sheetOf(rows(1_100, at => rowOf(at, ['<c t="s"><v>0</v></c>', 'a'])))], { texts: long }),
        'too-large',
      ],
      [makeXlsx([sheetOf(far)], { texts: '<si/>'.repeat(1_000_001) }), 'too-many-passages'],
    ];
    for (const [at, [bytes, reason]] of cases.entries())
      expect([at, await reasonOf(bytes)]).to.deep.equal([at, reason]);
  });
});
