import { expect } from 'chai';
import {
  openParser,
  type Parser,
  type ParserLimits,
  parserLimits,
} from '../../../workers/documents/open-parser.ts';
import { readDocument } from '../../../workers/documents/parser/read-document.ts';
import { makePdf } from '../../support/pdf.ts';

const small = { kind: 'markdown', bytes: Buffer.from('# A\n\nTexto.') } as const;
const options = () => ({ signal: new AbortController().signal, onPage: () => {} });

describe('the process that reads documents', () => {
  const open: Parser[] = [];
  const parser = (limits: Partial<ParserLimits> = {}) => {
    const opened = openParser({ ...parserLimits, ...limits });
    open.push(opened);
    return opened;
  };
  const reasonOf = (reading: Promise<unknown>) =>
    reading.then(
      () => 'read',
      error => error.reason ?? error.name,
    );
  after(() => open.forEach(({ close }) => close()));

  it('is ended for a document that takes too long, and the next one gets another', async () => {
    const limited = parser({ timeoutMs: 10 });
    expect(await reasonOf(limited.read(small, options()))).to.equal('too-slow');
    expect(await reasonOf(limited.read(small, options()))).to.equal('too-slow');
  });

  it('is ended for a document that takes too much memory, of the heap or outside of it', async () => {
    expect(await reasonOf(parser({ memoryBytes: 20 * 1_048_576 }).read(small, options()))).to.equal(
      'too-much-memory',
    );
    const long = Buffer.from('*a **b '.repeat(400_000));
    const limited = parser({ heapMib: 40 });
    expect(await reasonOf(limited.read({ kind: 'markdown', bytes: long }, options()))).to.equal(
      'too-much-memory',
    );
    expect(await reasonOf(limited.read(small, options()))).to.equal('read');
  });

  it('hands a large document over as it read it', async () => {
    const bytes = Buffer.from('# A\n\nUm parágrafo.\n\n'.repeat(5_000));
    const here = await readDocument({ kind: 'markdown', bytes }, () => {});
    expect(await parser().read({ kind: 'markdown', bytes }, options())).to.deep.equal(here);
  });

  it('is ended when the import is, and tells how many pages are read', async () => {
    const stop = new AbortController();
    const stopped = parser().read(small, { signal: stop.signal, onPage: () => {} });
    stop.abort();
    expect(await reasonOf(stopped)).to.equal('AbortError');
    const pages: string[] = [];
    const pdf = await makePdf(page => page.text('Um').addPage().text('Dois'));
    const onPage = (done: number, total: number) => pages.push(`${done} of ${total}`);
    await parser().read({ kind: 'pdf', bytes: pdf }, { ...options(), onPage });
    expect(pages).to.deep.equal(['1 of 2', '2 of 2']);
  });
});
