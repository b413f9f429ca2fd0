import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import { type DocumentKind, UnreadableError } from './document-kind.ts';
import type { ParserMessage, ReadOrder, ReadPart } from './parser/main.ts';
import type { ReadRequest, ReadResult } from './parser/parse-document.ts';
import { makeResultReader } from './parser/result-parts.ts';

/*
 * Reads documents in a process of its own.
 *
 *   idle ──read──▶ reading ──result, unreadable──▶ idle
 *                     └──too slow, too large, died──▶ ended: the document is unreadable, and the next one gets a new process
 *
 * The process has no settings and no credentials, and runs at a lower priority than the workers. A thread of it ends it when
 * it takes more time or memory than a document may, or its worker is gone. So a hostile document costs only itself.
 */

export interface Parser {
  /** Rejects with an UnreadableError, when the signal is aborted, or where no process can be started. */
  read(request: ReadRequest, options: ReadOptions): Promise<ReadResult>;
  close(): void;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  /** Set for a page of a site, whose pages have one time limit in all. */
  readonly isOfSite?: boolean;
  onPage(done: number, total: number): void;
}

export interface ParserLimits {
  readonly timeoutMs: number;
  /** `heapMib` limits the JavaScript heap, `memoryBytes` the whole process. */
  readonly heapMib: number;
  readonly memoryBytes: number;
  processorMsOf(request: Pick<ReadRequest, 'kind' | 'bytes'>): number;
}

export const parserLimits: ParserLimits = {
  timeoutMs: 180_000,
  heapMib: 512,
  memoryBytes: 1_024 * 1_048_576,
  processorMsOf: processorLimitOf,
};

/** Reading Markdown may take 40 s a MiB; PDF, DOCX and XLSX are packed. */
const PROCESSOR_TIME = {
  light: { leastMs: 10_000, msPerMib: 10_000 },
  heavy: { leastMs: 10_000, msPerMib: 40_000 },
} as const;
const HEAVY: readonly DocumentKind[] = ['markdown', 'pdf', 'docx', 'xlsx'];

/** The processor time of a document depends on its size: a small one that takes minutes is hostile. */
export function processorLimitOf({ kind, bytes }: Pick<ReadRequest, 'kind' | 'bytes'>): number {
  const { leastMs, msPerMib } = PROCESSOR_TIME[HEAVY.includes(kind) ? 'heavy' : 'light'];
  return Math.min(leastMs + (msPerMib * bytes.length) / 1_048_576, parserLimits.timeoutMs);
}

/** `program` has the arguments of `node` for the process; by default this build's, or the sources'. */
export function openParser(
  limits: ParserLimits = parserLimits,
  program: readonly string[] = ownProgram(),
): Parser {
  let child: ChildProcess | undefined;
  return {
    read: (request, options) => {
      child ??= startParser(limits.heapMib, program);
      const own = child;
      const end = () => {
        own.kill('SIGKILL');
        if (child === own) child = undefined;
      };
      return readIn(own, end, request, options, limits);
    },
    close: () => void child?.kill('SIGKILL'),
  };
}

/** A lower priority than the workers', which share the machine. At the lowest one, an import on a busy machine never ends. */
const PRIORITY = 5;

/** Resolved by package import, because this file also runs from `dist`. */
const root = dirname(createRequire(import.meta.url).resolve('#package.json'));

function ownProgram(): readonly string[] {
  if (import.meta.url.endsWith('.ts'))
    return ['--import', 'tsx', join(root, 'workers/knowledge/parser/main.ts')];
  // From `dist`, this code is in a file of another folder.
  return [join(root, 'dist/workers/knowledge/parser/main.js')];
}

function startParser(heapMib: number, program: readonly string[]): ChildProcess {
  const child = fork(program.at(-1) ?? '', [String(process.pid)], {
    execArgv: [`--max-old-space-size=${heapMib}`, ...program.slice(0, -1)],
    cwd: root,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
  return child;
}

/** Sends the order, then the bytes. Each message is copied and written in one step of the event loop. */
async function sendOrder(
  child: ChildProcess,
  { bytes, ...request }: ReadRequest,
  { timeoutMs, memoryBytes, processorMsOf }: ParserLimits,
): Promise<void> {
  const send = (message: ReadOrder | ReadPart) =>
    new Promise<void>((resolve, reject) => child.send(message, error => (error ? reject(error) : resolve())));
  const processorMs = processorMsOf({ kind: request.kind, bytes });
  await send({ request, length: bytes.length, timeoutMs, processorMs, memoryBytes });
  for (const part of bytePartsOf(bytes)) {
    await send(part);
    await setImmediate();
  }
}

function readIn(
  child: ChildProcess,
  end: () => void,
  request: ReadRequest,
  { signal, onPage }: ReadOptions,
  limits: ParserLimits,
): Promise<ReadResult> {
  return new Promise((resolve, reject) => {
    const result = makeResultReader();
    let isTimeOver = false;
    const abort = () => {
      end();
      settle(() => reject(signal.reason));
    };
    const timeout = setTimeout(() => {
      isTimeOver = true;
      end();
    }, limits.timeoutMs);
    const settle = (finish: () => void) => {
      clearTimeout(timeout);
      child.removeAllListeners('message').removeAllListeners('exit').removeAllListeners('error');
      child.on('error', () => {});
      signal.removeEventListener('abort', abort);
      finish();
    };
    const fail = (reason: UnreadableReason) => settle(() => reject(new UnreadableError(reason)));
    child.on('message', (message: ParserMessage) => {
      if (message.kind === 'page') onPage(message.done, message.total);
      else if (message.kind === 'part') result.add(message.part);
      else if (message.kind === 'end') settle(() => resolve(result.result()));
      else if (message.kind === 'unreadable') fail(message.reason);
    });
    // A process that cannot be started is not the document's fault.
    child.on('error', error => {
      end();
      settle(() => reject(error));
    });
    child.on('exit', (_code, killer) => {
      end();
      if (isTimeOver || killer === 'SIGALRM') fail('too-slow');
      else fail(killer === null ? 'broken' : 'too-much-memory');
    });
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort, { once: true });
      sendOrder(child, request, limits).catch(() => fail(isTimeOver ? 'too-slow' : 'broken'));
    }
  });
}

/** Bytes in one message to a parser's process. */
const PART_BYTES = 262_144;

function* bytePartsOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}
