import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import type { DocumentKind } from '../../../workers/knowledge/document-kind.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { cell, docxOf, paragraph, relationTo } from '../../support/docx.ts';
import { makePdf } from '../../support/pdf.ts';
import { makeXlsx, rowOf } from '../../support/xlsx.ts';

const read = async (kind: DocumentKind, bytes: Uint8Array) => {
  const result = await parseDocument({ kind, bytes }, () => {});
  return 'text' in result ? result.text.blocks : [];
};
const reasonOf = async (kind: DocumentKind, bytes: Uint8Array): Promise<string> =>
  parseDocument({ kind, bytes }, () => {}).then(
    () => 'read',
    error => error.reason ?? error.message,
  );

describe('reading a document', () => {
  it('takes headings, lists and tables of a page, and leaves out what only leads elsewhere', async () => {
    const html = `<!doctype html><html><head><title>Guia</title></head><body><header>Menu</header><nav>Início</nav>
      <h1>Preços</h1><p>Valores de <b>2026</b>.</p><ul><li>À vista</li><li>Parcelado</li></ul>
      <table><tr><th>Curso</th><th>Valor</th></tr><tr><td>Direito</td><td>R$ 1.200</td></tr></table>
      <img src="http://127.0.0.1:9/pixel.png"><script>document.write('mentira')</script><footer>Rodapé</footer></body></html>`;
    expect(await read('html', Buffer.from(html))).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Preços' },
      { kind: 'text', text: 'Valores de 2026.' },
      { kind: 'text', text: '- À vista\n- Parcelado' },
      { kind: 'table', header: ['Curso', 'Valor'], rows: [['Direito', 'R$ 1.200']] },
    ]);
  });

  it('keeps the lines and columns of preformatted text, and folds those around it', async () => {
    const html = `<p>Preços\n de 2026</p><pre>\nCurso     Valor\n  Direito   <b>900</b>\n\nLetras    600<br>fim\n</pre><p>Até\n maio</p>`;
    expect(await read('html', Buffer.from(html))).to.deep.equal([
      { kind: 'text', text: 'Preços de 2026' },
      { kind: 'text', text: 'Curso     Valor\n  Direito   900\n\nLetras    600\nfim' },
      { kind: 'text', text: 'Até maio' },
    ]);
    const result = await parseDocument(
      { kind: 'html', bytes: Buffer.from('<pre>---\nunidade: sul\n---\nTexto</pre>') },
      () => {},
    );
    expect(result).to.have.nested.property('text.hasFalseHead', true);
  });

  const textOf = (lines: readonly string[], before: string, between: string, after = '') =>
    Buffer.from(before + lines.join(between) + after);
  const paragraphs = (lines: readonly string[], first = '') =>
    lines.map((line, at) => paragraph(line, at === 0 ? first : '')).join('');
  const sheetOf = (lines: readonly string[], more = '') =>
    makeXlsx([{ name: 'Aulas', rows: lines.map((line, at) => rowOf(at + 1, [line])).join('') + more }]);
  const table = rowOf(6, ['Curso', 'Vagas']) + rowOf(7, ['Direito', 'dez']);
  type Write = (lines: readonly string[]) => Uint8Array | Promise<Uint8Array>;
  const places: readonly (readonly [where: string, kind: DocumentKind, write: Write])[] = [
    ['paragraphs of a page', 'html', lines => textOf(lines, '<p>', '</p><p>')],
    ['broken lines of a page', 'html', lines => textOf(lines, '<p>', '<br>')],
    ['code of a page', 'html', lines => textOf(lines, '<pre><code>', '\n', '</code></pre>')],
    [
      'a header of a page',
      'html',
      lines => textOf(lines, '<table><tr><th>', '<th><tr><td>', '<td>x</table>'),
    ],
    ['paragraphs of DOCX', 'docx', lines => docxOf(paragraphs(lines))],
    ['broken lines of DOCX', 'docx', lines => docxOf(paragraph(lines.join('</w:t><w:br/><w:t>')))],
    ['a heading of DOCX', 'docx', lines => docxOf(paragraphs(lines, 'Heading1'))],
    // PDF's own fonts have the letters of Windows-1252.
    ['PDF', 'pdf', lines => makePdf(pdf => pdf.text(lines.join('\n').replace('ー', '–')))],
    ['a sheet of one column', 'xlsx', lines => sheetOf(lines)],
    ['a sheet above a table', 'xlsx', lines => sheetOf(lines, table)],
    ['CSV below the name of its delimiter', 'csv', lines => textOf(lines, 'sep=;\n', '\n')],
    ['Markdown', 'markdown', lines => textOf(lines, '', '\n\n')],
    ['plain text', 'text', lines => textOf(lines, '', '\n')],
  ];
  for (const [where, kind, write] of places)
    it(`doubts a first line of dashes alone, and no other, in ${where}`, async () => {
      const isDoubted = async (first: string) => {
        const bytes = await write([first, 'curso: direito', '—', 'A biblioteca abre às 7h.']);
        const result = await parseDocument({ kind, bytes }, () => {});
        return 'text' in result && result.text.hasFalseHead === true;
      };
      for (const dash of ['—', '-', '--', 'ー']) expect(await isDoubted(dash), dash).to.equal(true);
      expect(await isDoubted('Biblioteca')).to.equal(false);
    });

  it('keeps the links of headings and tables of Markdown, those of names below them', async () => {
    const markdown = `# Veja o [guia](https://a.br/g)\n\n| [Curso](https://a.br/c) | Edital |\n|---|---|\n| **Direito** | [edital \\| anexo](https://a.br/e) de *maio* |`;
    expect(await read('markdown', Buffer.from(markdown))).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Veja o guia' },
      { kind: 'text', text: '[guia](https://a.br/g)' },
      {
        kind: 'table',
        header: ['Curso', 'Edital'],
        rows: [['Direito', '[edital | anexo](https://a.br/e) de maio']],
      },
      { kind: 'text', text: '[Curso](https://a.br/c)' },
    ]);
  });

  it('keeps words apart whose blank stands within a link, and no mark of an item that is struck through', async () => {
    const html =
      '<p>Veja o<a href="https://a.br/e"> edital </a>de maio</p><ul><li><s>Até abril</s></li><li>Até maio</li></ul>';
    expect(await read('html', Buffer.from(html))).to.deep.equal([
      { kind: 'text', text: 'Veja o [edital](https://a.br/e) de maio' },
      { kind: 'text', text: '- Até maio' },
    ]);
  });

  it('takes headings and tables of a DOCX, and neither runs nor reads its macros', async () => {
    const table = `<w:tbl><w:tr>${cell('Curso')}${cell('Valor')}</w:tr><w:tr>${cell('Letras')}${cell('R$ 600')}</w:tr></w:tbl>`;
    const body = paragraph('Preços', 'Heading1') + paragraph('Valores de 2026.') + table;
    const macros = { 'word/vbaProject.bin': strToU8('Sub AutoOpen()') };
    expect(await read('docx', docxOf(body, macros))).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Preços' },
      { kind: 'text', text: 'Valores de 2026.' },
      { kind: 'table', header: ['Curso', 'Valor'], rows: [['Letras', 'R$ 600']] },
    ]);
  });

  it('has the merged cells of a DOCX in each of their rows and columns, and the caption with its table', async () => {
    const merged = (text: string, properties: string) =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
    const table = `<w:tbl><w:tr>${merged('Curso', '<w:vMerge w:val="restart"/>')}${merged('Vagas', '<w:gridSpan w:val="2"/>')}</w:tr>
      <w:tr>${merged('', '<w:vMerge/>')}${cell('Ampla')}${cell('Cotas')}</w:tr>
      <w:tr>${merged('Direito', '<w:vMerge w:val="restart"/>')}${cell('20')}${cell('21')}</w:tr>
      <w:tr>${merged('', '<w:vMerge/>')}${cell('30')}${cell('31')}</w:tr></w:tbl>`;
    const styles = {
      'word/styles.xml': strToU8(
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Legenda"><w:name w:val="caption"/></w:style></w:styles>',
      ),
    };
    expect(await read('docx', docxOf(paragraph('Tabela 1', 'Legenda') + table, styles))).to.deep.equal([
      {
        kind: 'table',
        caption: 'Tabela 1',
        header: ['Curso', 'Vagas · Ampla', 'Vagas · Cotas'],
        rows: [
          ['Direito', '20', '21'],
          ['Direito', '30', '31'],
        ],
      },
    ]);
  });

  it('has the numbers that Word makes in front of their paragraphs, and leaves bullets as they are', async () => {
    const numbering = `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
      <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="9"/><w:numFmt w:val="decimal"/><w:lvlText w:val="Art. %1º"/></w:lvl>
        <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%2 –"/></w:lvl>
        <w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%3)"/></w:lvl></w:abstractNum>
      <w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="●"/></w:lvl></w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>`;
    const inList = (text: string, list: number, level = 0) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = [
      inList('O prazo é de dez dias.', 1),
      inList('em maio;', 1, 1),
      inList('em julho.', 1, 1),
      inList('No sul.', 1, 2),
      inList('Cabe recurso.', 1),
      inList('em agosto.', 1, 1),
      inList('Leve o documento.', 2),
    ];
    const more = {
      'word/numbering.xml': strToU8(numbering),
      'word/_rels/document.xml.rels': relationTo('numbering', 'numbering.xml'),
    };
    const blocks = await read('docx', docxOf(body.join(''), more));
    expect(blocks.map(block => 'text' in block && block.text)).to.deep.equal([
      'Art. 9º O prazo é de dez dias.',
      'I – em maio;',
      'II – em julho.',
      '9.a) No sul.',
      'Art. 10º Cabe recurso.',
      'I – em agosto.',
      '- Leve o documento.',
    ]);
  });

  it('knows the headings and the struck text of a DOCX by what its own styles are based on', async () => {
    const style = (id: string, about: string, type = 'paragraph') =>
      `<w:style w:type="${type}" w:styleId="${id}">${about}</w:style>`;
    const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
      ${style('T2', '<w:name w:val="heading 2"/>')}${style('Meu', '<w:name w:val="Título d\'água"/><w:basedOn w:val="T2"/>')}
      ${style('Cap', '<w:name w:val="Capítulo"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>')}
      ${style('Corpo', '<w:name w:val="Corpo"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>')}
      ${style('Velho', '<w:name w:val="Revogado"/><w:rPr><w:strike/></w:rPr>')}
      ${style('Risco', '<w:name w:val="Riscado"/><w:rPr><w:strike/></w:rPr>', 'character')}</w:styles>`;
    const body = [
      paragraph('Das provas', 'Cap'),
      paragraph('Do prazo', 'Meu'),
      paragraph('São dez dias.', 'Corpo'),
      paragraph('São cinco dias.', 'Velho'),
      '<w:p><w:r><w:rPr><w:rStyle w:val="Risco"/></w:rPr><w:t>Em maio.</w:t></w:r><w:r><w:t>Em junho.</w:t></w:r></w:p>',
    ];
    const more = {
      'word/styles.xml': strToU8(styles),
      'word/_rels/document.xml.rels': relationTo('styles', 'styles.xml'),
    };
    expect(await read('docx', docxOf(body.join(''), more))).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Das provas' },
      { kind: 'heading', level: 2, text: 'Do prazo' },
      { kind: 'text', text: 'São dez dias.' },
      { kind: 'text', text: 'Em junho.' },
    ]);
  });

  it('puts what Markdown says elsewhere where it is named, and leaves out what it strikes through', async () => {
    const source = [
      '# [Edital](https://exemplo.br/e.pdf)\n\n## Prazo\n\nAté ~~abril~~ maio[^1], <del>em papel</del> [aqui][r]; `~~a~~`.',
      '~~De R$ 100~~ R$ 80[^3]',
      '| Curso | Vagas |\n|---|---|\n| [Letras](https://exemplo.br/l) | 40<br>~~30~~ |',
      '<!-- só para nós -->',
      '<details>\n<summary>Quem pode?</summary>\n\nTodos, **já**.\n\n</details>',
      '<table><tr><td>Sala</td><td rowspan="2">2</td></tr><tr><td>Mesa</td></tr></table>',
      '[r]: https://exemplo.br/r\n\n[^1]: Exceto os\nferiados.\n[^2]: Sem marca.\n\n[^3]: Grátis.',
    ].join('\n\n');
    const result = await parseDocument({ kind: 'markdown', bytes: Buffer.from(source) }, () => {});
    const text = 'text' in result ? result.text : expect.fail('It is no document.');
    expect(text.struck).to.equal(4);
    expect(text.blocks).to.deep.equal([
      { kind: 'heading', level: 1, text: 'Edital' },
      { kind: 'text', text: '[Edital](https://exemplo.br/e.pdf)' },
      { kind: 'heading', level: 2, text: 'Prazo' },
      {
        kind: 'text',
        text: 'Até  maio (1: Exceto os feriados.),  [aqui](https://exemplo.br/r); `~~a~~`.',
      },
      { kind: 'text', text: 'R$ 80 (3: Grátis.)' },
      {
        kind: 'table',
        header: ['Curso', 'Vagas'],
        rows: [['[Letras](https://exemplo.br/l)', '40 ']],
      },
      { kind: 'heading', level: 3, text: 'Quem pode?' },
      { kind: 'text', text: 'Todos, **já**.' },
      { kind: 'heading', level: 3, text: '' },
      { kind: 'table', header: ['Sala', '2'], rows: [['Mesa', '2']] },
      { kind: 'text', text: '[^2]: Sem marca.' },
    ]);
    const marks = `${'a[^1] '.repeat(12_000)}\n\n[^1]: ${'nota '.repeat(190)}`;
    expect(await reasonOf('markdown', Buffer.from(marks))).to.equal('too-many-passages');
  });

  it('composes letters, and leaves out what nobody sees, alone or in a word, in every kind of document', async () => {
    const split = 'isen\u00adc\u0327a\u0303\u200bo\u2060';
    const documents: readonly (readonly [DocumentKind, Uint8Array])[] = [
      ['markdown', Buffer.from(`# ${split}\n\n\u200b\n\n|A|B|\n|-|-|\n|1|${split}|`)],
      ['text', Buffer.from(`${split}\n\n\u200b\u200b`)],
      ['html', Buffer.from('<h1>&#8203;</h1><p>&shy;</p><p>isen&shy;c\u0327a\u0303&#x200B;o')],
      ['csv', Buffer.from(`Bolsa\n${split}`)],
      ['docx', docxOf(paragraph(split) + paragraph('\u200b'))],
      ['xlsx', makeXlsx([{ name: 'A', rows: rowOf(1, ['Bolsa', 'Meses']) + rowOf(2, [split, '12']) }])],
    ];
    for (const [kind, bytes] of documents) {
      const told = JSON.stringify(await read(kind, bytes));
      expect(told, kind)
        .to.include('isenção')
        .and.not.match(/[\u00ad\u200b\u2060]|"text":""/);
    }
    expect(await reasonOf('html', Buffer.from('<p>&shy;</p>'))).to.equal('no-text');
  });

  it('keeps digits that Word raises, itself or by a style, out of the number before them', async () => {
    const run = (text: string, form: string) => `<w:r><w:rPr>${form}</w:rPr><w:t>${text}</w:t></w:r>`;
    const [raised, named] = ['<w:vertAlign w:val="superscript"/>', '<w:rStyle w:val="Sobre"/>'];
    const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="character" w:styleId="Sobre">
      <w:name w:val="Sobre"/><w:rPr>${raised}</w:rPr></w:style></w:styles>`;
    const body = `<w:p>${run('São 12', '')}${run('3', raised)}${run(' bolsas de R$ 450', '')}${run('50', named)}</w:p>`;
    expect(await read('docx', docxOf(body, { 'word/styles.xml': strToU8(styles) }))).to.deep.equal([
      { kind: 'text', text: 'São 12³ bolsas de R$ 450,50' },
    ]);
  });

  it('makes a record of each row of a CSV, with the header as labels, also in Windows-1252 and with semicolons', async () => {
    const bytes = Buffer.from('Curso;Preço;Vagas\r\nDireito;"1.200,00";\r\nPedagogia;600;40\r\n', 'latin1');
    expect((await read('csv', bytes)).map(block => 'text' in block && block.text)).to.deep.equal([
      'Curso: Direito\nPreço: 1.200,00',
      'Curso: Pedagogia\nPreço: 600\nVagas: 40',
    ]);
  });

  it('reads the rows of a CSV whatever divides them, with a title above them and quotes that are signs', async () => {
    const courses = ['Curso: Direito\nVagas: 60', 'Curso: Letras\nVagas: 40'];
    const written: readonly (readonly [csv: string, texts: readonly string[]])[] = [
      ['sep=;\r\nCurso;Vagas\r\nDireito;60\r\nLetras;40', courses],
      ['Curso|Vagas\nDireito|60\nLetras|40\n', courses],
      ['Curso\tVagas\nDireito\t60\nLetras\t40\n', courses],
      ['Cursos de 2027;\n\nCurso;Vagas\nDireito;60\nLetras;40', ['Cursos de 2027', ...courses]],
      ['Nome;Nota, média\nAna;8,5\nRui;9,0', ['Nome: Ana\nNota, média: 8,5', 'Nome: Rui\nNota, média: 9,0']],
      ['Setor;Onde\nTesouraria;Prédio "Ipê", térreo', ['Setor: Tesouraria\nOnde: Prédio "Ipê", térreo']],
      [
        'Tela;Uso\n"5" ou mais;sala\n"aberta;pátio',
        ['Tela: "5" ou mais\nUso: sala', 'Tela: "aberta\nUso: pátio'],
      ],
      [';2026;2027\nVagas;60;40', ['Vagas\n2026: 60\n2027: 40']],
      ['Curso;Vagas;Obs.\nDireito;60;\nLetras;40;', ['Obs.', ...courses]],
    ];
    for (const [csv, texts] of written)
      expect((await read('csv', Buffer.from(csv))).map(block => 'text' in block && block.text)).to.deep.equal(
        texts,
      );
  });

  it('reads text in UTF-8, UTF-16 and Windows-1252', async () => {
    const text = 'Inscrições até às 18h — não perca.';
    const wide = Buffer.from(text, 'utf16le');
    const swapped = Buffer.from(wide).swap16();
    const windows = Buffer.from(text.replace('—', '\u0097'), 'latin1');
    const encoded = [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      wide,
      Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
      Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]),
      windows,
    ];
    for (const bytes of encoded) expect(await read('text', bytes)).to.deep.equal([{ kind: 'text', text }]);
  });

  it('names the reason where a document is not what it says', async () => {
    const pdf = await makePdf(page => page.text('Olá'));
    const cases: [DocumentKind, Uint8Array, string][] = [
      ['markdown', pdf, 'wrong-kind'],
      ['docx', pdf, 'wrong-kind'],
      ['pdf', Buffer.from('# Texto'), 'wrong-kind'],
      ['docx', Buffer.from('# Texto'), 'wrong-kind'],
      ['text', Buffer.from([1, 0, 0, 7, 0, 0, 0, 9]), 'wrong-kind'],
      ['docx', zipSync({ 'a.txt': strToU8('a') }), 'wrong-kind'],
      ['html', docxOf(paragraph('a')), 'wrong-kind'],
      ['pdf', pdf.subarray(0, pdf.length / 3), 'broken'],
      ['docx', docxOf(paragraph('a')).subarray(0, 200), 'broken'],
      ['docx', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'encrypted'],
    ];
    for (const [kind, bytes, reason] of cases)
      expect([kind, await reasonOf(kind, bytes)]).to.deep.equal([kind, reason]);
  });

  it('names the reason where a PDF is encrypted, scanned or too long', async () => {
    const encrypted = await makePdf(page => page.text('Olá'), { userPassword: 'segredo' });
    expect(await reasonOf('pdf', encrypted)).to.equal('encrypted');
    const scanned = await makePdf(page => page.rect(10, 10, 200, 200).fill('black'));
    expect(await reasonOf('pdf', scanned)).to.equal('no-text');
    const long = await makePdf(pages => {
      for (let at = 0; at < 2_000; at += 1) pages.addPage();
    });
    expect(await reasonOf('pdf', long)).to.equal('too-many-pages');
  });

  it('refuses an archive that unpacks to too much, before it unpacks it', async () => {
    const name = 'word/media/a.bin';
    const docx = Buffer.from(docxOf(paragraph('a'), { [name]: new Uint8Array(1) }));
    /** So much is in the directory of the archive, which comes last. */
    const unpackingTo = (mib: number) => {
      docx.writeUInt32LE(mib * 1_048_576, docx.lastIndexOf(name) - 22);
      return docx;
    };
    expect(await reasonOf('docx', unpackingTo(199))).to.equal('read');
    expect(await reasonOf('docx', unpackingTo(200))).to.equal('too-large');
  });

  it('names the reason where a text has more paragraphs, rows or cells than a document may', async () => {
    const cases: [DocumentKind, string][] = [
      ['text', 'a\n\n'.repeat(201_000)],
      ['html', `<table><tr><td>a<td>b${'<tr>'.repeat(201_000)}</table>`],
      ['html', `<table><tr>${'<td>'.repeat(1_001_000)}</table>`],
    ];
    for (const [kind, text] of cases)
      expect(await reasonOf(kind, Buffer.from(text))).to.equal('too-many-passages');
  });

  it('finds no text in documents without any, and the caption of a table without other text', async () => {
    const table = '<table><caption>Vagas</caption><tr><td></td><td><s>20</s></td></tr></table>';
    expect(await reasonOf('html', Buffer.from(table))).to.equal('read');
    for (const kind of ['markdown', 'text', 'html', 'csv'] as const)
      expect(await reasonOf(kind, Buffer.from(' \n\n'))).to.equal('no-text');
  });
});
