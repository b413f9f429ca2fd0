import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { DocumentKind } from '../../../workers/knowledge/document-kind.ts';
import {
  openParser,
  type Parser,
  type ParserLimits,
  parserLimits,
  processorLimitOf,
} from '../../../workers/knowledge/open-parser.ts';
import type { ReadOrder, ReadPart } from '../../../workers/knowledge/parser/main.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { openOnce } from '../../support/opened.ts';
import { makePdf } from '../../support/pdf.ts';
import { argsOf } from '../../support/program.ts';
import { makeFolder } from '../../support/temp-folder.ts';

const small = { kind: 'markdown', bytes: Buffer.from('# A\n\nTexto.') } as const;
/** Reading it takes minutes. */
const endless = { kind: 'markdown', bytes: Buffer.from('![a]'.repeat(100_000)) } as const;
/** The built one, which starts in a third of the time. */
const program = argsOf('workers/knowledge/parser/main.ts');
const PROGRAM = program.at(-1) ?? '';
const execArgv = program.slice(0, -1);
const FORK: ForkOptions = {
  execArgv,
  env: {},
  serialization: 'advanced',
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
};

/** A worker that does nothing but tell that its parser has begun. */
const WORKER = `
  import { fork } from 'node:child_process';
  const child = fork('${PROGRAM}', [String(process.pid)], {
    execArgv: ${JSON.stringify(execArgv)}, env: {}, serialization: 'advanced', stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  child.on('message', ({ kind }) => kind === 'begun' && console.log(child.pid));
  const bytes = Buffer.from('![a]'.repeat(100_000));
  const request = { kind: 'markdown' };
  child.send({ request, length: bytes.length, timeoutMs: 180_000, processorMs: 180_000, memoryBytes: 2 ** 30 });
  child.send(bytes);
`;

/** A parser that tells how many bytes the longest message had, as the title of the document. */
const MEASURING = `
  let [left, most] = [0, 0];
  process.on('message', message => {
    const bytes = message instanceof Uint8Array ? message : message.request.bytes ?? new Uint8Array(0);
    if (bytes !== message) left = message.length ?? bytes.length;
    left -= bytes.length;
    most = Math.max(most, bytes.length);
    if (left > 0) return;
    process.send({ kind: 'part', part: JSON.stringify({ kind: 'text-head', title: String(most) }) + '\\n' });
    process.send({ kind: 'end' });
  });
`;

const options = () => ({ signal: new AbortController().signal, onPage: () => {} });

describe('the process that reads documents', () => {
  const open: Parser[] = [];
  const folder = openOnce(makeFolder);
  const parser = (limits: Partial<ParserLimits> = {}) => {
    const opened = openParser({ ...parserLimits, ...limits }, program);
    open.push(opened);
    return opened;
  };
  const reasonOf = (reading: Promise<unknown>) =>
    reading.then(
      () => 'read',
      error => error.reason ?? error.name,
    );
  const children: ChildProcess[] = [];
  let orphan: number | undefined;
  after(() => {
    for (const { close } of open) close();
    for (const child of children) child.kill('SIGKILL');
    if (orphan !== undefined) process.kill(orphan, 'SIGKILL');
  });

  it('makes no document unreadable where it cannot be started, and is started for the next one', async () => {
    const { execPath } = process;
    const own = openParser();
    open.push(own);
    process.execPath = '/nowhere/node';
    const reading = own.read(small, options());
    process.execPath = execPath;
    expect(await reading.catch(error => error.code)).to.equal('ENOENT');
    expect(await reasonOf(own.read(small, options()))).to.equal('read');
  });

  it('is ended for a document that takes too long, and the next one gets another', async () => {
    const limited = parser({ timeoutMs: 10 });
    expect(await reasonOf(limited.read(small, options()))).to.equal('too-slow');
    expect(await reasonOf(limited.read(small, options()))).to.equal('too-slow');
  });

  it('is ended for a document that takes too much memory, of the heap or outside of it', async () => {
    expect(await reasonOf(parser({ memoryBytes: 20 * 1_048_576 }).read(endless, options()))).to.equal(
      'too-much-memory',
    );
    const long = Buffer.from('*a **b '.repeat(400_000));
    const limited = parser({ heapMib: 40 });
    expect(await reasonOf(limited.read({ kind: 'markdown', bytes: long }, options()))).to.equal(
      'too-much-memory',
    );
    expect(await reasonOf(limited.read(small, options()))).to.equal('read');
  });

  it('is sent a document in parts, however large it is', async () => {
    const measured = openParser(parserLimits, [await folder.write('parser.mjs', MEASURING)]);
    open.push(measured);
    const bytes = Buffer.alloc(3 * 1_048_576 + 1, 'x');
    const result = await measured.read({ kind: 'text', bytes }, options());
    expect('title' in result && Number(result.title)).to.be.at.most(262_144);
  });

  it('may take the more processor time the larger the document is, and never more than any may', () => {
    const limitOf = (kind: DocumentKind, mib: number) =>
      processorLimitOf({ kind, bytes: Buffer.alloc(mib * 1_048_576) });
    for (const kind of ['markdown', 'html'] as const) {
      const limits = [0, 1, 2, 16].map(mib => limitOf(kind, mib));
      expect(limits).to.deep.equal(limits.toSorted((a, b) => a - b));
      expect(limits.at(-1)).to.be.at.most(parserLimits.timeoutMs);
      expect(limits[0]).to.be.at.most(parserLimits.timeoutMs / 10);
    }
  });

  it('ends by itself when its time is over, whatever it is doing and whoever should have ended it', async () => {
    const { timeoutMs, memoryBytes } = parserLimits;
    const { kind, bytes } = endless;
    const order = { request: { kind }, length: bytes.length };
    const all = { ...order, timeoutMs, memoryBytes, processorMs: timeoutMs };
    const signals = [{ timeoutMs: 300 }, { processorMs: 300 }].map(async less => {
      const child = fork(PROGRAM, [String(process.pid)], FORK);
      children.push(child);
      child.send({ ...all, ...less } satisfies ReadOrder);
      child.send(bytes satisfies ReadPart);
      const [, signal] = await once(child, 'exit');
      return signal;
    });
    expect(await Promise.all(signals)).to.deep.equal(['SIGALRM', 'SIGALRM']);
  });

  it('ends with its worker, also while it reads and the worker is killed', async () => {
    const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(worker);
    // Written when the parser has begun; it has the pipe, too, which ends with the last of them.
    const [pid] = await once(worker.stdout, 'data');
    orphan = Number(pid);
    worker.kill('SIGKILL');
    await once(worker.stdout, 'close');
    orphan = undefined;
  });

  it('hands a large document over as it read it', async () => {
    const bytes = Buffer.from('<h1>A</h1><p>Um parágrafo.</p>'.repeat(1_500));
    const here = await parseDocument({ kind: 'html', bytes }, () => {});
    expect(await parser().read({ kind: 'html', bytes }, options())).to.deep.equal(here);
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
