import { expect } from 'chai';
import { makeAttachedReaders } from '../../../workers/knowledge/read-attached.ts';
import { openOnce } from '../../support/opened.ts';
import { argsOf } from '../../support/program.ts';
import { makeFolder } from '../../support/temp-folder.ts';
import { makeXlsx, rowOf } from '../../support/xlsx.ts';

const egress = { fetch: () => Promise.reject(new Error('no address is read here')) };
const program = argsOf('workers/knowledge/parser/main.ts');
/** Reads HTML, and is never done with another kind. */
const stuck = [new URL('../../operations/stuck-parser.mjs', import.meta.url).pathname];
const MAX_TEXT = 20_000;

/** Tells how much it is given, and how long it may take. */
const TELLING = `
  let [left, told] = [0, ''];
  process.on('message', message => {
    if (message instanceof Uint8Array) left -= message.length;
    else {
      left = message.length;
      told = message.length + ' bytes, ' + Math.round(message.processorMs) + ' ms';
    }
    if (left > 0) return;
    const block = JSON.stringify({ kind: 'text', text: told });
    process.send({ kind: 'part', part: '{"kind":"text-head"}\\n' + block + '\\n' });
    process.send({ kind: 'end' });
  });
`;

describe('the files of turns', () => {
  const stop = new AbortController();
  after(() => stop.abort());
  const folder = openOnce(makeFolder);

  const readWith = (parserProgram: readonly string[]) => {
    const { readFile } = makeAttachedReaders(egress, parserProgram);
    return (hostId: string, mediaType: string, text: string | Uint8Array) =>
      readFile({ hostId, name: 'Arquivo', mediaType, bytes: Buffer.from(text) }, stop.signal);
  };

  it('of two hosts that take long to read keep no file of a third waiting', async () => {
    const read = readWith(stuck);
    for (const hostId of ['a', 'b'])
      for (let at = 0; at < 4; at += 1) void read(hostId, 'text/markdown', 'Texto.').catch(() => {});
    expect(await read('c', 'text/html', '<p>Texto.</p>')).to.equal('## Arquivo\n\nTexto de html.');
  });

  it('are given far less time than a document, by their size, and no more of a text than a turn can use', async () => {
    const read = readWith([await folder.write('parser.mjs', TELLING)]);
    const toldOf = async (mediaType: string, length: number) => {
      const told = await read('a', mediaType, 'x'.repeat(length));
      return typeof told === 'string' ? told.split('\n').at(-1) : told.reason;
    };
    expect(await toldOf('text/markdown', 1_048_576)).to.equal('200000 bytes, 2381 ms');
    expect(await toldOf('text/plain', 1_048_576)).to.equal('200000 bytes, 2381 ms');
    expect(await toldOf('text/html', 2 * 1_048_576)).to.equal('2097152 bytes, 6000 ms');
  });

  it('are read as far as a turn can use, and no character is split there', async () => {
    const read = readWith(program);
    for (const [mediaType, before] of [
      ['text/plain', 'x'],
      ['text/markdown', ''],
      ['text/csv', 'nome\n"'],
    ] as const) {
      const text = await read(
        'a',
        mediaType,
        `${before}${'á'.repeat(250_000)}${before.includes('"') ? '"' : ''}`,
      );
      expect(text).to.be.a('string').with.lengthOf(MAX_TEXT);
      expect(text).to.match(/^## [^Ã]+á{1000,}[^Ã]*$/);
    }
  });

  it('are read whole, with what would be the filter of a document', async () => {
    const note = '---\nautor: Ana Prado\n---\n\nA prova é dia 10.';
    for (const mediaType of ['text/markdown', 'text/plain'])
      expect(await readWith(program)('a', mediaType, note))
        .to.include('autor: Ana Prado')
        .and.include('dia 10');
  });

  it('that are archives are read as what they hold, whatever their sender says', async () => {
    const sheet = makeXlsx([
      { name: 'Cursos', rows: rowOf(1, ['Curso', 'Vagas']) + rowOf(2, ['Direito', [40, 0]]) },
    ]);
    const read = readWith(program);
    expect(await read('a', 'application/octet-stream', sheet)).to.equal(
      '## Arquivo\n\nCurso: Direito\nVagas: 40',
    );
  });
});
