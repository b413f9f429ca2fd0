import { expect } from 'chai';
import fc from 'fast-check';
import { splitText } from '../../text/pieces.ts';
import { type Block, lengthOf, maxCharactersOf } from '../../workers/domain/documents/block.ts';
import { cutPassages, type Passage } from '../../workers/domain/documents/cut-passages.ts';
import { readPlainText } from '../../workers/knowledge/parser/parse-document.ts';
import { readCsv } from '../../workers/knowledge/parser/read-csv.ts';
import { readHtml } from '../../workers/knowledge/parser/read-html.ts';
import { readMarkdown } from '../../workers/knowledge/parser/read-markdown.ts';
import { runToEnd } from '../support/run-to-end.ts';

const cut = (blocks: Block[], { limit = 8_000 }: { limit?: number } = {}): Passage[] => {
  return runToEnd(cutPassages({ blocks }, { name: 'Guia', limit, most: 20_000 })) ?? [];
};
const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text });
const text = (words: string, place?: string): Block => ({
  kind: 'text',
  text: words,
  ...(place === undefined ? {} : { place }),
});

const word = fc.stringMatching(/^[a-zà-ü]{1,12}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 200 }).map(words => `${words.join(' ')}.`);
const block = fc.oneof(
  fc.record({ kind: fc.constant('heading' as const), level: fc.integer({ min: 0, max: 6 }), text: sentence }),
  fc.record({ kind: fc.constant('text' as const), text: sentence }),
  fc.record({
    kind: fc.constant('table' as const),
    header: fc.array(word, { minLength: 2, maxLength: 4 }),
    rows: fc.array(fc.array(fc.oneof(sentence, fc.constant('')), { minLength: 1, maxLength: 4 }), {
      maxLength: 20,
    }),
  }),
  fc.record({ kind: fc.constant('entry' as const), text: sentence }),
);

describe('the passages of a document', () => {
  it('take a heading that is as long as a book for text, and end at their limit', () => {
    const book = heading(1, 'capítulo '.repeat(200_000));
    const paragraphs = Array.from({ length: 3_000 }, (_, at) =>
      text(`Parágrafo ${at}. ${'a'.repeat(1_300)}`),
    );
    const startedAt = process.cpuUsage();
    const passages = cut([book, ...paragraphs]);
    expect(passages.filter(({ content }) => content.includes('Parágrafo'))).to.have.length(3_000);
    for (const { content } of passages) expect(content.length).to.be.at.most(8_000);
    // Cutting the heading for each paragraph takes minutes.
    expect(process.cpuUsage(startedAt).user / 1e6).to.be.below(20);
    const steps = cutPassages({ blocks: paragraphs }, { name: 'Guia', limit: 8_000, most: 10 });
    expect(runToEnd(steps)).to.equal(undefined);
  });

  it('begin with the path of their headings, or the name of the document', () => {
    const blocks = [
      text('Antes de tudo.'),
      heading(1, 'Campus'),
      heading(2, 'Biblioteca'),
      text('Abre às 8h.'),
      heading(2, 'Secretaria'),
      text('Abre às 9h.'),
      heading(1, 'Preços'),
      text('Veja a tabela.'),
    ];
    expect(cut(blocks).map(({ content }) => content)).to.deep.equal([
      '## Guia\n\nAntes de tudo.',
      '## Campus > Biblioteca\n\nAbre às 8h.',
      '## Campus > Secretaria\n\nAbre às 9h.',
      '## Preços\n\nVeja a tabela.',
    ]);
  });

  it('keep a question, and what ends with a colon, with the text behind it', () => {
    const before = `Antes. ${'a'.repeat(1_190)}`;
    for (const question of ['**Qual é o prazo?**', 'Os prazos:'])
      for (const answer of ['Dez dias.', `Dez dias. ${'b'.repeat(1_300)}`]) {
        const contents = cut([text(before), text(question), text(answer)]).map(({ content }) => content);
        expect(contents.some(each => each.includes(`${question}\n\n${answer}`))).to.equal(true);
        expect(contents.filter(each => each.includes(question))).to.have.length(1);
      }
  });

  it('list under their parent the headings that no text follows', () => {
    const blocks = [
      heading(1, 'Calendário'),
      heading(2, 'Matrícula: de 10 a 20 de fevereiro'),
      heading(2, 'Trancamento: até 30 de abril'),
      heading(2, 'Provas'),
      text('Em julho.'),
      heading(2, 'Férias: agosto'),
      heading(1, 'Contato'),
    ];
    expect(cut(blocks).map(({ content }) => content)).to.deep.equal([
      '## Calendário\n\n- Matrícula: de 10 a 20 de fevereiro\n\n- Trancamento: até 30 de abril',
      '## Calendário > Provas\n\nEm julho.',
      '## Calendário\n\n- Férias: agosto',
      '## Guia\n\n- Contato',
    ]);
  });

  it('have no heading of the document before their own, where there are several in one', () => {
    const blocks = [
      heading(0, 'Cursos'),
      heading(2, 'Direito'),
      text('Dez.'),
      heading(0, ''),
      text('Ligue.'),
    ];
    expect(cut(blocks).map(({ content }) => content)).to.deep.equal([
      '## Cursos > Direito\n\nDez.',
      '## Guia\n\nLigue.',
    ]);
  });

  it('keep a table whole, and repeat its header where it is longer than a passage may be', () => {
    const header = ['Curso', 'Valor'];
    const rows = Array.from({ length: 40 }, (_, at) => [`Curso ${at}`, `R$ ${at}`]);
    expect(cut([{ kind: 'table', header, rows }])).to.have.length(1);
    const parts = cut([{ kind: 'table', header, rows }], { limit: 300 });
    expect(parts.length).to.be.greaterThan(1);
    for (const { content } of parts) expect(content).to.include('| Curso | Valor |\n| --- | --- |\n| Curso ');
    const all = parts.map(({ content }) => content).join('\n');
    for (const [course] of rows) expect(all).to.include(`| ${course} |`);
  });

  it('tell in each part of a table the section that its rows stand under', () => {
    const rowsOf = (campus: string) =>
      Array.from({ length: 20 }, (_, at) => [`Curso ${at} ${campus}`, `R$ ${at}`]);
    const rows = [['CAMPUS SUL'], ...rowsOf('s'), ['CAMPUS NORTE', ''], ...rowsOf('n')];
    const parts = cut([{ kind: 'table', header: ['Curso', 'Valor'], rows }], { limit: 300 });
    expect(parts.length).to.be.greaterThan(2);
    for (const { content } of parts) {
      if (/ \d+ s \|/.test(content)) expect(content).to.match(/CAMPUS SUL[^]* s \|/);
      expect(content.split('CAMPUS NORTE')[0]).to.not.match(/ n \|/);
      expect(content.split('CAMPUS NORTE')[1] ?? '').to.not.match(/ s \|/);
    }
  });

  it('hold one place each, and one record each', () => {
    const places = cut([text('Um.', 'p. 1'), text('Dois.', 'p. 1'), text('Três.', 'p. 2')]);
    expect(places.map(({ place }) => place)).to.deep.equal(['p. 1', 'p. 2']);
    const entries = ['Nome: A', 'Nome: B'].map(row => ({ kind: 'entry', text: row }) as const);
    expect(cut(entries)).to.have.length(2);
  });

  it('are never longer than they may be, and lose no word', () => {
    const limits = fc.integer({ min: 60, max: 3_000 });
    const isKept = (blocks: Block[], limit: number) => {
      const passages = cut(blocks, { limit });
      for (const { content } of passages) expect(content.length).to.be.at.most(limit);
      const wordsOf = (each: string) => each.split(/[\s|]+/).filter(Boolean);
      const words = new Set(passages.flatMap(({ content }) => wordsOf(content)));
      const textsOf = (each: Block) =>
        each.kind === 'table' ? [each.header, ...each.rows].flat() : [each.text];
      const lost = blocks
        .flatMap(textsOf)
        .flatMap(wordsOf)
        .filter(each => !words.has(each) && !words.has(`${each}:`));
      expect(lost).to.deep.equal([]);
    };
    fc.assert(fc.property(fc.array(block, { maxLength: 12 }), limits, isKept), { numRuns: 300 });
  });

  it('of other sections stay word for word where one section changes', () => {
    const sections = fc.array(fc.array(sentence, { minLength: 1, maxLength: 6 }), {
      minLength: 2,
      maxLength: 8,
    });
    const toBlocks = (all: string[][]) =>
      all.flatMap((paragraphs, at) => [
        heading(1, `Seção ${at}`),
        ...paragraphs.map(paragraph => text(paragraph)),
      ]);
    const isLocal = (all: string[][], changed: string) => {
      const before = cut(toBlocks(all)).map(({ content }) => content);
      const after = cut(toBlocks([[changed], ...all.slice(1)])).map(({ content }) => content);
      const ofOthers = (contents: string[]) => contents.filter(each => !each.startsWith('## Seção 0\n'));
      expect(ofOthers(after)).to.deep.equal(ofOthers(before));
    };
    fc.assert(fc.property(sections, sentence, isLocal), { numRuns: 100 });
  });
});

describe('what a document may become', () => {
  /** Returns what each step of cutting makes; ends with the passages, or undefined where they are too many. */
  const cutSteps = (blocks: Block[], most = 20_000) =>
    cutPassages({ blocks }, { name: 'Guia', limit: 8_000, most });
  const sizeOf = (blocks: readonly Block[]) => blocks.reduce((sum, each) => sum + lengthOf(each), 0);
  const sizeOfPassages = (passages: Passage[] = []) =>
    passages.reduce((sum, { content }) => sum + content.length, 0);
  const tableOf = (columns: number, labelLength: number, rows: number, cell: string): Block => ({
    kind: 'table',
    header: Array.from({ length: columns }, () => 'r'.repeat(labelLength)),
    rows: Array.from({ length: rows }, (_, at) => Array.from({ length: columns }, () => `${cell}${at}`)),
  });

  it('does not grow with the rows of a table that has a book as its header, and no word of it is lost', () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `palavra${at}`);
    const book: Block = {
      kind: 'table',
      header: [words.join(' '), 'Valor'],
      rows: Array.from({ length: 300 }, (_, at) => [`a${at}`, `b${at}`]),
    };
    const passages = cut([book]);
    expect(sizeOfPassages(passages)).to.be.below(2 * lengthOf(book));
    const kept = new Set(passages.flatMap(({ content }) => content.split(/[\s|]+/)));
    expect(words.filter(each => !kept.has(each))).to.deep.equal([]);
    const csv = readCsv(`${words.join(' ')};Valor\n${'a;b\n'.repeat(300)}`).blocks;
    expect(sizeOf(csv)).to.be.below(2 * lengthOf(book));
    expect(csv[0]).to.deep.include({ place: 'row 1' });
  });

  it('is at most what it may: wider and longer tables are refused before they are made', () => {
    const sizes = fc.record({
      columns: fc.integer({ min: 1, max: 1_500 }),
      label: fc.integer({ min: 1, max: 400 }),
      rows: fc.integer({ min: 1, max: 300 }),
    });
    let refused = 0;
    const isBounded = ({ columns, label, rows }: { columns: number; label: number; rows: number }) => {
      const table = tableOf(columns, label, rows, '');
      const passages = runToEnd(cutSteps([table]));
      if (!passages) refused += 1;
      expect(sizeOfPassages(passages)).to.be.at.most(maxCharactersOf(lengthOf(table)));
    };
    fc.assert(fc.property(sizes, isBounded), {
      numRuns: 12,
      examples: [[{ columns: 1_500, label: 200, rows: 300 }]],
    });
    expect(refused).to.be.greaterThan(0);
    const wide = `${`${'r'.repeat(200)};`.repeat(1_000)}\n${`${'1;'.repeat(1_000)}\n`.repeat(300)}`;
    expect(() => readCsv(wide)).to.throw('too-many-passages');
  });

  it('takes no longer for names of columns of which only the last row has values', () => {
    const header = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
    const rows = [...Array.from({ length: 100_000 }, () => ['a']), header];
    const startedAt = process.cpuUsage();
    runToEnd(cutSteps([{ kind: 'table', header, rows }]));
    // Looking for each name in each row takes minutes.
    expect(process.cpuUsage(startedAt).user / 1e6).to.be.below(10);
  });

  it('has the caption of a table that has nothing else', () => {
    const table: Block = { kind: 'table', caption: 'Vagas de 2027', header: ['', ''], rows: [] };
    expect(cut([table]).map(({ content }) => content)).to.deep.equal(['## Guia\n\nVagas de 2027']);
  });

  it('is counted with its equal passages', () => {
    const equal = Array.from({ length: 30 }, () => ({ kind: 'entry', text: 'Igual.' }) as const);
    expect(runToEnd(cutSteps(equal, 30))).to.have.length(1);
    expect(runToEnd(cutSteps(equal, 29))).to.equal(undefined);
  });

  it('is made in steps, none of which makes more than a row', () => {
    const table = tableOf(2, 10, 5_000, 'célula ');
    let steps = 0;
    for (const _ of cutSteps([table])) steps += 1;
    expect(steps).to.be.at.least(5_000);
    steps = 0;
    for (const _ of cutSteps([text('Uma frase. '.repeat(100_000))])) steps += 1;
    expect(steps).to.be.at.least((100_000 * 11) / 8_000);
  });

  it('is no more than it was, in any reader and whatever is nested', () => {
    const units = [
      '<table>',
      '<tr>',
      '<td>',
      '<div>',
      '<h1>',
      '<li>',
      '<ul>',
      '<p>',
      '</p>',
      '</div>',
      '&amp;',
      'a',
    ];
    const more = [
      '| a | b |\n',
      '| - | - |\n',
      '\n\n',
      '# ',
      '- ',
      '    ',
      '```\n',
      '> ',
      '* ',
      ';',
      '"',
      '\n',
    ];
    const parts = fc.array(fc.constantFrom(...units, ...more), { maxLength: 8 });
    const isNoMore = (unit: string[], times: number, end: number) => {
      const source = unit.join('').repeat(times) + 'z'.repeat(end);
      const readers = { readHtml, readMarkdown, readPlainText };
      for (const [name, read] of Object.entries(readers))
        expect(sizeOf(read(source).blocks), name).to.be.at.most(4 * source.length + 100);
    };
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 3_000 }), isNoMore),
      {
        numRuns: 400,
        examples: [
          [['<table>', '<tr>', '<td>', '<div>'], 1, 10],
          [['<tr>', '<td>a', '<td><div>'], 60, 3_000],
        ],
      },
    );
    const nested = `<table>${'<tr><td>a<td><div>'.repeat(100)}${'z'.repeat(100_000)}`;
    expect(sizeOf(readHtml(nested).blocks)).to.be.at.most(4 * nested.length);
  });
});

describe('a long text that is split', () => {
  it('loses nothing but blanks, and no character is split', () => {
    const pieces = fc.array(fc.constantFrom('a', 'ção', '😀', ' ', '. ', '\n', 'palavra'), {
      maxLength: 200,
    });
    const isWhole = (parts: string[], limit: number) => {
      const whole = parts.join('');
      const split = [...splitText(whole, limit)];
      for (const part of split) expect(part.length).to.be.at.most(limit);
      expect(split.join('').replace(/\s/g, '')).to.equal(whole.replace(/\s/g, ''));
      expect(split.join('')).to.not.match(/[\ud800-\udbff](?![\udc00-\udfff])/);
    };
    fc.assert(fc.property(pieces, fc.integer({ min: 2, max: 50 }), isWhole), { numRuns: 300 });
  });
});
