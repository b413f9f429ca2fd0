/*
 * A process that reads documents of others, one at a time, for the worker that started it: a document that makes it hang or
 * grow costs this process only. It has no settings, no database and no network of its own.
 *
 * A thread watches it: a loop that never ends sees no event, and whoever should end the process may be gone. It so ends with
 * its worker, whose process id is its argument, and when a document takes longer or more memory than it may.
 */

import { type MessagePort, Worker } from 'node:worker_threads';
import type { UnreadableReason } from '../../../queues/contract/operations/document-shape.ts';
import { UnreadableError } from '../unreadable.ts';
import { type ReadRequest, readDocument } from './read-document.ts';
import { partsOf } from './result-parts.ts';

/** What the worker sends. */
export interface ReadOrder {
  readonly request: ReadRequest;
  readonly timeoutMs: number;
  /** Of processor time: a machine that is busy with other things makes no document hostile. */
  readonly processorMs: number;
  /** Of the whole process. */
  readonly memoryBytes: number;
}

export type ParserMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly done: number; readonly total: number }
  | { readonly kind: 'part'; readonly part: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

/** Undefined between two documents. */
type Watched = Omit<ReadOrder, 'request'> | undefined;

const WATCH_EVERY_MS = 100;

// As a text, because a thread cannot load TypeScript: the function so uses nothing but what it is given, and names no function.
const watcher = new Worker(
  `(${String(watch)})(require('node:worker_threads').parentPort, ${Number(process.argv[2])}, ${WATCH_EVERY_MS})`,
  { eval: true, execArgv: [] },
);
const send = (message: ParserMessage) => void process.send?.(message);

process.on('disconnect', () => process.exit(0));
process.on('message', (order: ReadOrder) => void read(order));

async function read({ request, ...limits }: ReadOrder): Promise<void> {
  watcher.postMessage(limits satisfies Watched, []);
  send({ kind: 'begun' });
  try {
    const result = await readDocument(request, (done, total) => send({ kind: 'page', done, total }));
    for (const part of partsOf(result)) send({ kind: 'part', part });
    send({ kind: 'end' });
  } catch (error) {
    send({ kind: 'unreadable', reason: error instanceof UnreadableError ? error.reason : 'broken' });
  }
  watcher.postMessage(undefined satisfies Watched, []);
}

function watch(port: MessagePort, workerPid: number, everyMs: number): void {
  let limits: Watched;
  let [begunAt, usedBefore] = [performance.now(), process.cpuUsage()];
  port.on('message', (watched: Watched) => {
    limits = watched;
    begunAt = performance.now();
    usedBefore = process.cpuUsage();
  });
  setInterval(() => {
    if (process.ppid !== workerPid) process.kill(process.pid, 'SIGKILL');
    if (!limits) return;
    if (process.memoryUsage.rss() > limits.memoryBytes) process.kill(process.pid, 'SIGKILL');
    const { user, system } = process.cpuUsage(usedBefore);
    const isOver =
      performance.now() - begunAt > limits.timeoutMs || (user + system) / 1_000 > limits.processorMs;
    // It ends a process whatever that is doing, and nobody else sends it.
    if (isOver) process.kill(process.pid, 'SIGALRM');
  }, everyMs);
}
