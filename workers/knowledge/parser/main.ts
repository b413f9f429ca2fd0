/*
 * A process that reads others' documents, one at a time, for the worker that started it: a document that makes it hang or grow
 * costs this process only. It has no settings, no database and no network of its own. A thread watches it, because an endless
 * loop sees no event, and the worker that should end it may be gone. So it ends with its worker, whose process id is its
 * argument, and when a document takes more time or memory than it may.
 */

import { type MessagePort, Worker } from 'node:worker_threads';
import type { UnreadableReason } from '../../../queues/contract/operations/document-shape.ts';
import { UnreadableError } from '../document-kind.ts';
import { parseDocument, type ReadRequest } from './parse-document.ts';
import { partsOf } from './result-parts.ts';

/** The worker sends this first; the bytes follow in parts. */
export interface ReadOrder {
  readonly request: Omit<ReadRequest, 'bytes'>;
  readonly length: number;
  readonly timeoutMs: number;
  /** Limits processor time: a machine that is busy with other things makes no document hostile. */
  readonly processorMs: number;
  readonly memoryBytes: number;
}

/** Some of the bytes, in order. */
export type ReadPart = Uint8Array;

export type ParserMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly done: number; readonly total: number }
  | { readonly kind: 'part'; readonly part: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

/** Undefined between two documents. */
type Watched = Omit<ReadOrder, 'request' | 'length'> | undefined;

const WATCH_EVERY_MS = 100;

// A thread cannot load TypeScript, so its code is a text: the function uses only its arguments, and names no function.
const watcher = new Worker(
  `(${String(watch)})(require('node:worker_threads').parentPort, ${Number(process.argv[2])}, ${WATCH_EVERY_MS})`,
  { eval: true, execArgv: [] },
);
const send = (message: ParserMessage) => void process.send?.(message);

process.on('disconnect', () => process.exit(0));
/** The incoming document, and how many of its bytes are here. */
let incoming: { readonly order: ReadOrder; readonly bytes: Uint8Array; filled: number } | undefined;

process.on('message', (message: ReadOrder | ReadPart) => {
  if (!(message instanceof Uint8Array))
    incoming = { order: message, bytes: new Uint8Array(message.length), filled: 0 };
  else if (incoming) {
    incoming.bytes.set(message, incoming.filled);
    incoming.filled += message.length;
  }
  if (!incoming || incoming.filled < incoming.order.length) return;
  const { order, bytes } = incoming;
  incoming = undefined;
  void read(order, bytes);
});

async function read(
  { request: described, length: _, ...limits }: ReadOrder,
  bytes: Uint8Array,
): Promise<void> {
  const request = { ...described, bytes };
  watcher.postMessage(limits satisfies Watched, []);
  send({ kind: 'begun' });
  try {
    const result = await parseDocument(request, (done, total) => send({ kind: 'page', done, total }));
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
    // SIGALRM ends a process whatever it is doing, and nothing else sends it.
    if (isOver) process.kill(process.pid, 'SIGALRM');
  }, everyMs);
}
