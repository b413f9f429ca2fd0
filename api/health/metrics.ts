import { hostname } from 'node:os';
import Router from '@koa/router';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DURATION_BUCKETS, registerNodeMetrics, registerProcessInfo } from '../../platform/process-info.ts';
import type { KeyFingerprints } from '../../platform/seal.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { type QueueName, queues } from '../../queues/contract/queues.ts';
import type { Dispatcher } from '../../queues/transport/dispatcher.ts';
import { LATE_FRACTION, type QueueProgress } from '../../queues/transport/progress.ts';
import { readWorkerLoad, type WorkerLoad } from '../../queues/transport/worker-load.ts';
import type { ApiMiddleware, State } from '../context.ts';
import type { SignatureRefusal } from '../signed-intake/signature-check.ts';

export interface MetricsParts {
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
  readonly keys: KeyFingerprints;
  /** Whether the database accepts writes. */
  isDatabaseReady(): boolean;
  /** Metrics of the other processes, as prom-client JSON. */
  readOtherMetrics(): Promise<readonly unknown[]>;
}

/** Metrics for Prometheus: of this process, of the queues and of the other processes. */
export interface ApiMetrics {
  readonly count: ApiMiddleware;
  onSignatureRefused(reason: SignatureRefusal): void;
  routes(guard: ApiMiddleware): Router<State>;
}

export function makeApiMetrics(parts: MetricsParts): ApiMetrics {
  const { dispatcher, timeoutMs, keys, readOtherMetrics } = parts;
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ process: `web-${hostname()}-${process.pid}` });
  registerNodeMetrics(registry);
  registerProcessInfo(registry, { kind: 'web', queues: [], ...keys });
  const requests = new Counter({
    name: 'parley_requests_total',
    help: 'Number of requests by operation and status; 499 if the client disconnected first',
    labelNames: ['operation', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'parley_request_seconds',
    help: 'Duration of requests in seconds, from arrival to the end of the response',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  registerReadiness(parts, registers);
  const updateQueueGauges = makeQueueGauges(dispatcher, timeoutMs, registers);
  return {
    onSignatureRefused: makeSignatureCounter(registers),
    count: async (ctx, next) => {
      const startedAt = performance.now();
      ctx.res.once('close', () => {
        const operation = ctx.state.operation ?? 'other';
        requests.inc({ operation, status: ctx.res.writableFinished ? ctx.res.statusCode : 499 });
        seconds.observe({ operation }, (performance.now() - startedAt) / 1_000);
      });
      await next();
    },
    routes: guard =>
      new Router<State>().get('/metrics', guard, async ctx => {
        // If a store is down, the other metrics are returned: an outage needs them most.
        const otherMetrics = await readOtherMetrics().catch(() => undefined);
        await updateQueueGauges(otherMetrics).catch(() => undefined);
        const all = AggregatorRegistry.aggregate([
          await registry.getMetricsAsJSON(),
          ...(otherMetrics ?? []),
        ] as object[][]);
        ctx.set('Content-Type', registry.contentType);
        ctx.body = await all.metrics();
      }),
  };
}

function makeSignatureCounter(registers: Registry[]): ApiMetrics['onSignatureRefused'] {
  const refused = new Counter({
    name: 'parley_refused_signatures_total',
    help: 'Number of signed requests refused with 401 because their address is unknown, their signature forged, or they are replayed',
    labelNames: ['reason'],
    registers,
  });
  return reason => refused.inc({ reason });
}

function registerReadiness({ dispatcher, isDatabaseReady }: MetricsParts, registers: Registry[]): void {
  const store: Gauge = new Gauge({
    name: 'parley_queue_store_ready',
    help: 'Whether the queue store accepts jobs: 1 or 0',
    registers,
    collect: (): void => store.set(dispatcher.isReady() ? 1 : 0),
  });
  const database: Gauge = new Gauge({
    name: 'parley_database_ready',
    help: 'Whether the database accepts writes: 1 or 0',
    registers,
    collect: (): void => database.set(isDatabaseReady() ? 1 : 0),
  });
}

function loadOf(published: readonly unknown[], queue: QueueName): WorkerLoad {
  const names = new Set<string>(operationNames.filter(name => operationOf(name).queue === queue));
  const { job } = queues[queue];
  return readWorkerLoad(published, queue, operation => operation === job || names.has(operation));
}

/** Returns a function that updates the gauges of the queues; called for each scrape. */
function makeQueueGauges(
  dispatcher: Dispatcher,
  timeoutMs: number,
  registers: Registry[],
): (published: readonly unknown[] | undefined) => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['queue'], registers });
  const depth = gauge('parley_queue_depth', 'Number of jobs waiting in the queue');
  const oldest = gauge(
    'parley_queue_oldest_seconds',
    'Age of the oldest waiting job in seconds; 0 if there is none',
  );
  const polledReplies = gauge(
    'parley_polled_replies',
    'Number of replies since the start that were found by polling because the completion event was missed',
  );
  const wanted = gauge(
    'parley_workers_wanted',
    'Number of worker processes needed to start all waiting jobs of the queue before they are late',
  );
  return async published => {
    for (const seen of await dispatcher.progress(timeoutMs)) {
      const labels = { queue: seen.queue };
      depth.set(labels, seen.depth);
      oldest.set(labels, (seen.oldestAgeMs ?? 0) / 1_000);
      polledReplies.set(labels, seen.polledReplies);
      // Without the database nobody knows the load of the workers.
      if (published) wanted.set(labels, countWorkersWanted(seen, loadOf(published, seen.queue), timeoutMs));
    }
  };
}

/**
 * How many workers are needed to start all waiting jobs of a queue before they are late, in addition to the running ones; at
 * least one. A waiting job needs a slot for its mean duration: that part of the time until it is late, at most all of it, and all
 * of it while the duration is unknown.
 */
export function countWorkersWanted(
  { depth, active }: Pick<QueueProgress, 'depth' | 'active'>,
  { workers, slots, meanMs }: WorkerLoad,
  timeoutMs: number,
): number {
  if (workers === 0) return 1;
  const maxWaitMs = timeoutMs * LATE_FRACTION;
  const forWaiting = depth * Math.min((meanMs ?? maxWaitMs) / maxWaitMs, 1);
  // A turn that waits for its conversation is active, but lends its slot.
  const inUse = Math.min(active, slots);
  return Math.max(Math.ceil((inUse + forWaiting) / (slots / workers)), 1);
}
