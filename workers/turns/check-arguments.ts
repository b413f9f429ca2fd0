import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { FieldError } from '../../platform/field-error.ts';
import { Gate } from '../../platform/gate.ts';
import { makeTokenBucket, type TokenBucket } from '../../platform/token-bucket.ts';
import type { ArgumentCheck } from './argument-thread.ts';

/*
 * A thread checks the arguments of agents against their schemas, which are tenants' and may take for ever:
 *
 *   idle ──check──▶ checking ──errors──▶ idle
 *                       └──too slow, too large──▶ ended: its schema is slow, and a new thread is started
 *
 * One check runs at a time, the hosts in turn. A host gets only a part of the time, and a slow schema is skipped for a while.
 */

/** Compiling the largest schema takes most of this. Sixteen agents with `^(a+)+$` in each turn blocked a worker for seconds. */
const MAX_CHECK_MS = 300;
/** A check that waits for the processor may take this many times as long. */
const MAX_FACTOR = 4;
/** A host may use this much of the thread: five slow schemas at once, then one in three seconds. */
const HOST_TIME = { maxMs: 1_500, msPerSecond: 100 } as const;
/** Charged to a host whose check ended the thread: about what starting one takes on a quiet machine. */
const START_MS = 300;
/** Compiled schemas take 16 MiB. */
const MAX_HEAP_MIB = 128;
/** A schema is slow for one host only: the arguments that host sends make it so. */
const slowSchemas = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });
/** A host that drops out of this cache starts with its full time, as any host does after fifteen seconds. */
const times = new LRUCache<string, TokenBucket>({ max: 10_000 });
const gate = new Gate({ maxTotal: 1, maxPerKey: 1 });

/** Returns the errors of the arguments, or undefined if the check was not finished. Rejects when the signal is aborted. */
export function checkArguments(
  { hostId: key, signal }: { readonly hostId: string; readonly signal: AbortSignal },
  check: ArgumentCheck,
): Promise<readonly FieldError[] | undefined> {
  const digest = createHash('sha256').update(JSON.stringify(check.schema)).digest('base64url');
  const schemaKey = `${key} ${digest}`;
  return gate.run({ key, signal }, async () => {
    const time = times.get(key) ?? makeTokenBucket(HOST_TIME.maxMs, HOST_TIME.msPerSecond);
    times.set(key, time);
    if (slowSchemas.has(schemaKey) || !time.take(MAX_CHECK_MS)) return undefined;
    const worker = await (thread ??= startThread());
    const usedMs = openThreadClock(worker);
    const errors = await checkIn(worker, check, usedMs);
    if (!errors) {
      slowSchemas.set(schemaKey, true);
      // The host that ended the thread pays for the next one: when none did, a neighbour's checks took 3.0 s, not 0.4 s.
      thread = startThread();
      await thread.catch(() => {});
      time.add(START_MS);
      return undefined;
    }
    // Waiting for a busy processor costs the host nothing: forty checks of a millisecond beside a busy main thread used up its time.
    time.add(Math.min(0, usedMs() - MAX_CHECK_MS));
    return errors;
  });
}

/** Undefined before the first check, and after a thread that ended by itself. */
let thread: Promise<Worker> | undefined;

function startThread(): Promise<Worker> {
  const worker = makeWorker();
  // The process does not wait for it to end.
  worker.unref();
  worker.on('error', () => {});
  const started = once(worker, 'message').then(() => worker);
  worker.on('exit', () => {
    if (thread === started) thread = undefined;
  });
  return started;
}

/** Resolved by package import, because this file also runs from `dist`, in a file of another folder. */
const load = createRequire(import.meta.url);
const root = dirname(load.resolve('#package.json'));

function makeWorker(): Worker {
  const options = { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(join(root, 'dist/workers/turns/argument-thread.js'), options);
  const files = [load.resolve('tsx/cjs'), join(root, 'workers/turns/argument-thread.ts')];
  return new Worker(`${JSON.stringify(files)}.forEach(require)`, { ...options, eval: true });
}

/** The thread has worked no longer than it was busy, nor than all threads of the process have. */
function openThreadClock({ performance: ofThread }: Worker): () => number {
  const busyBefore = ofThread.eventLoopUtilization();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(ofThread.eventLoopUtilization(busyBefore).active, (user + system) / 1_000);
  };
}

async function checkIn(
  worker: Worker,
  check: ArgumentCheck,
  usedMs: () => number,
): Promise<readonly FieldError[] | undefined> {
  const settled = new AbortController();
  const { signal } = settled;
  let passed = 0;
  // A check that waited for the processor goes on. `setImmediate` lets an answer that is here already come first.
  const endIfOver = () => {
    passed += 1;
    const isOver = usedMs() >= MAX_CHECK_MS || passed >= MAX_FACTOR;
    if (isOver && !signal.aborted) void worker.terminate();
  };
  const timer = setInterval(() => setImmediate(endIfOver), MAX_CHECK_MS);
  worker.postMessage(check, []);
  try {
    const [errors] = await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => []),
    ]);
    return errors as readonly FieldError[] | undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
    throw error;
  } finally {
    clearInterval(timer);
    settled.abort();
  }
}
