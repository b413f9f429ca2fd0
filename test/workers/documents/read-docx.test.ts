import { expect } from 'chai';
import { strToU8 } from 'fflate';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { cell, documentOf, docxOf, paragraph, relationTo, run, stylesOf } from '../../support/docx.ts';

const read = async (bytes: Uint8Array) => {
  const result = await parseDocument({ kind: 'docx', bytes }, () => {});
  return 'text' in result ? result.text.blocks : expect.fail('It is a sitemap.');
};
const textsOf = async (bytes: Uint8Array) =>
  (await read(bytes)).map(block => ('text' in block ? block.text : block.rows.flat().join(' ')));
const part = (inner: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${inner}</w:p>`;

const math = (text: string) => `<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>${text}</m:t></m:r>`;
const e = (inner: string) => `<m:e>${inner}</m:e>`;
const fraction = (above: string, below: string) =>
  `<m:f><m:fPr/><m:num>${above}</m:num><m:den>${below}</m:den></m:f>`;
const raised = (base: string, above: string) => `<m:sSup>${e(base)}<m:sup>${math(above)}</m:sup></m:sSup>`;
const lowered = (base: string, below: string) =>
  `<m:sSub>${e(math(base))}<m:sub>${math(below)}</m:sub></m:sSub>`;

describe('a Word document', () => {
  it('has its formulas as text, in which no figure becomes another', async () => {
    const cases: readonly (readonly [formula: string, text: string])[] = [
      [math('MF=') + fraction(math('N1+2') + math('N2'), math('3')), 'MF=(N1+2N2)/3'],
      [fraction(lowered('N', '1') + math('+') + lowered('N', '2'), math('2')), '(N_1+N_2)/2'],
      [math('2') + fraction(math('1'), math('2')), '2 1/2'],
      [fraction(math('1'), math('2')) + math('5x'), '1/2 5x'],
      [raised(math('x'), '2') + math('3'), 'x^2 3'],
      [math('1') + math('0'), '10'],
      [raised(`<m:d>${e(math('1+i'))}</m:d>`, 'n'), '(1+i)^n'],
      [`<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(math('a+b'))}</m:rad>`, '√(a+b)'],
      [`<m:rad><m:deg>${math('3')}</m:deg>${e(math('27'))}</m:rad>`, '∛27'],
      [
        `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${math('i=1')}</m:sub><m:sup>${math('n')}</m:sup>${e(lowered('P', 'i'))}</m:nary>`,
        '∑_(i=1)^n (P_i)',
      ],
      [
        `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e(`<m:eqArr>${e(math('1, MF≥6'))}${e(math('0, MF&lt;6'))}</m:eqArr>`)}</m:d>`,
        '{1, MF≥6; 0, MF<6',
      ],
    ];
    const inText = cases.map(([formula]) => part(`${run('Com ')}<m:oMath>${formula}</m:oMath>${run('.')}`));
    expect(await textsOf(docxOf(inText.join('')))).to.deep.equal(cases.map(([, text]) => `Com ${text}.`));
    const formula = (inner: string) => `<m:oMath>${inner}</m:oMath>`;
    const deleted = formula(`<w:del>${math('5')}</w:del><w:ins>${math('7')}</w:ins>`);
    const beside = [
      part(
        run('Por 2') +
          formula(fraction(math('1'), math('2'))) +
          run(' h, peso ') +
          formula(math('0,4')) +
          run('5'),
      ),
      part(run('Média ') + deleted),
      part(`<m:oMathPara><m:oMathParaPr/>${formula(math('A=1'))}${formula(math('B=2'))}</m:oMathPara>`),
    ];
    expect(await textsOf(docxOf(part('<m:oMath/>') + beside.join('')))).to.deep.equal([
      'Por 2 1/2 h, peso 0,4 5',
      'Média 7',
      'A=1 B=2',
    ]);
  });

  it('has the text of its simple fields, and of a link the address', async () => {
    const field = (instruction: string, inner: string) =>
      `<w:fldSimple w:instr='${instruction}'>${inner}</w:fldSimple>`;
    const body = [
      part(
        run('Vence em ') + field(' DATE &gt; ', run('10/03')) + run('.') + '<w:fldSimple w:instr="PAGE"/>',
      ),
      part(field(' HYPERLINK "https://a.br/x" \\o "dica" ', run('Aqui')) + run(' ou ali.')),
      part(field(' IF 1 > 2 ', run('Fora e ') + field('REF x', run('dentro')))),
    ];
    const texts = ['Vence em 10/03.', '[Aqui](https://a.br/x) ou ali.', 'Fora e dentro'];
    expect(await textsOf(docxOf(body.join('')))).to.deep.equal(texts);
  });

  it('has no text that is hidden, itself or by a style, and none in white on white', async () => {
    const style = (id: string, type: string, more: string) =>
      `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${id}"/>${more}</w:style>`;
    const styles = stylesOf(
      style('Oculto', 'paragraph', '<w:rPr><w:vanish/></w:rPr>') +
        style('Filho', 'paragraph', '<w:basedOn w:val="Oculto"/>') +
        style('Letra', 'character', '<w:rPr><w:vanish/></w:rPr>'),
    );
    const white = '<w:color w:val="ffffff"/>';
    const shade = '<w:shd w:val="clear" w:fill="1F4E79"/>';
    const body = [
      part(run('Até maio', '<w:vanish w:val="0"/>') + run(' RASCUNHO', '<w:b/><w:vanish/>')),
      paragraph('RASCUNHO', 'Oculto') + paragraph('RASCUNHO', 'Filho'),
      part(run('Sim') + run(' RASCUNHO', '<w:rStyle w:val="Letra"/>'), '<w:rPr><w:vanish/></w:rPr>'),
      part(run('RASCUNHO', white) + run('Não')),
      part(run('Faixa', white), shade),
      part(run('Antes', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>')),
      `<w:tbl><w:tr><w:tc>${part(run('Dia', white))}</w:tc>${cell('Hora')}</w:tr><w:tr>${cell('10')}${cell('8h')}</w:tr></w:tbl>`,
    ];
    const header = documentOf('<wp:anchor behindDoc="1"/>');
    expect(await textsOf(docxOf(part(run('Capa', white)), { 'word/header1.xml': header }))).to.deep.equal([
      'Capa',
    ]);
    const blocks = await read(docxOf(body.join(''), { 'word/styles.xml': styles }));
    const texts = ['Até maio', 'Sim', 'Não', 'Faixa', 'Antes'];
    expect(blocks).to.deep.equal([
      ...texts.map(text => ({ kind: 'text', text })),
      { kind: 'table', header: ['Dia', 'Hora'], rows: [['10', '8h']] },
    ]);
  });

  it('has its boxes with their marks, so that it is plain which was chosen', async () => {
    const box = (isOn: number, name: string) =>
      `<w:sdt><w:sdtPr><wordml:checkbox><wordml:checked wordml:val="${isOn}"/></wordml:checkbox></w:sdtPr><w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>${run(` ${name} `)}`;
    const names = 'xmlns:wordml="http://schemas.microsoft.com/office/word/2010/wordml"';
    const bytes = docxOf(`<w:p ${names}>${box(1, 'Manhã')}${box(0, 'Noite')}</w:p>`);
    expect(await textsOf(bytes)).to.deep.equal(['[x] Manhã [ ] Noite']);
  });

  it('is read from the main part that its relations name, with the parts that this one names', async () => {
    const style =
      '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Meu"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>';
    for (const main of ['word/document2.xml', '/word/document2.xml', './word/document2.xml']) {
      const more = {
        'word/document2.xml': documentOf(paragraph('Prazos', 'T') + paragraph('Até maio.')),
        'word/_rels/document2.xml.rels': relationTo('styles', 'styles2.xml'),
        'word/styles2.xml': stylesOf(style),
      };
      expect(await read(docxOf('', more, main)), main).to.deep.equal([
        { kind: 'heading', level: 1, text: 'Prazos' },
        { kind: 'text', text: 'Até maio.' },
      ]);
    }
    const workbook = { 'xl/workbook2.xml': strToU8('<workbook/>') };
    const bytes = docxOf('', workbook, 'xl/workbook2.xml');
    const reason = await read(bytes).then(
      () => 'read',
      error => error.reason,
    );
    expect(reason).to.equal('wrong-kind');
  });
});
