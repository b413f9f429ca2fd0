import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import type { ParserMessage } from './parser/main.ts';
import type { ReadRequest, ReadResult } from './parser/read-document.ts';
import { makeResultReader } from './parser/result-parts.ts';
import { UnreadableError } from './unreadable.ts';

/*
 * Reads documents in a process of its own.
 *
 *   idle ──read──▶ reading ──result, unreadable──▶ idle
 *                     └──too slow, too large, died──▶ ended: the document is unreadable, and the next one gets a new process
 *
 * The process has no settings and no credentials, runs after all others (its priority is low), and is killed where it takes
 * longer or more memory than a document may. A document that is hostile to its reader so costs itself only.
 */

export interface Parser {
  /** Rejects with an UnreadableError, or when the signal is aborted. */
  read(request: ReadRequest, options: ReadOptions): Promise<ReadResult>;
  close(): void;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  onPage(done: number, total: number): void;
}

export interface ParserLimits {
  readonly timeoutMs: number;
  /** Of the JavaScript heap, and of the whole process. */
  readonly heapMib: number;
  readonly memoryBytes: number;
}

export const parserLimits: ParserLimits = {
  timeoutMs: 180_000,
  heapMib: 512,
  memoryBytes: 1_024 * 1_048_576,
};

const WATCH_EVERY_MS = 100;
const PAGE_BYTES = 4_096;

export function openParser(limits: ParserLimits = parserLimits): Parser {
  let child: ChildProcess | undefined;
  return {
    read: (request, options) => {
      child ??= startParser(limits.heapMib);
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

/** Resolved by package import, because this file also runs from `dist`. */
const root = dirname(createRequire(import.meta.url).resolve('#package.json'));

function startParser(heapMib: number): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  // From `dist`, this code is in a file of another folder.
  const program = isSource ? 'workers/documents/parser/main.ts' : 'dist/workers/documents/parser/main.js';
  const child = fork(join(root, program), [], {
    execArgv: [`--max-old-space-size=${heapMib}`, ...(isSource ? ['--import', 'tsx'] : [])],
    cwd: root,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return child;
}

function readIn(
  child: ChildProcess,
  end: () => void,
  request: ReadRequest,
  { signal, onPage }: ReadOptions,
  { timeoutMs, memoryBytes }: ParserLimits,
): Promise<ReadResult> {
  return new Promise((resolve, reject) => {
    const result = makeResultReader();
    let killedFor: UnreadableReason | undefined;
    const stop = (reason: UnreadableReason) => {
      killedFor ??= reason;
      end();
    };
    const abort = () => {
      end();
      settle(() => reject(signal.reason));
    };
    const timeout = setTimeout(() => stop('too-slow'), timeoutMs);
    const watch = setInterval(() => {
      void residentBytesOf(child.pid).then(bytes => bytes > memoryBytes && stop('too-much-memory'));
    }, WATCH_EVERY_MS);
    const settle = (finish: () => void) => {
      clearTimeout(timeout);
      clearInterval(watch);
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
    child.on('error', end);
    child.on('exit', (_code, killer) => {
      end();
      fail(killedFor ?? (killer === null ? 'broken' : 'too-much-memory'));
    });
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort, { once: true });
      child.send(request, error => error && fail('broken'));
    }
  });
}

/** 0 where the system has no `/proc`: there only the limit of the heap holds. */
async function residentBytesOf(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES;
}
