import Router from '@koa/router';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Dispatcher } from '../queues/transport/dispatcher.ts';
import { registerProcessInfo } from '../queues/transport/process-info.ts';
import { DURATION_BUCKETS } from '../queues/transport/progress.ts';
import type { State, Step } from './context.ts';

export interface MetricsParts {
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
  /** See `Seal.fingerprint`. */
  readonly key: string;
  /** What the other processes have counted lately, each as prom-client gives it. */
  readOtherMetrics(): Promise<readonly unknown[]>;
}

/** What Prometheus reads here: this process's own figures, the queues', and those of the workers. */
export interface ApiMetrics {
  readonly count: Step;
  routes(guard: Step): Router<State>;
}

export function makeApiMetrics({ dispatcher, timeoutMs, key, readOtherMetrics }: MetricsParts): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ process: `web-${process.pid}` });
  collectDefaultMetrics({ register: registry });
  registerProcessInfo(registry, { kind: 'web', queues: [], key });
  const requests = new Counter({
    name: 'parley_requests_total',
    help: 'Requests answered, by operation and status; 499 for clients that left first',
    labelNames: ['operation', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'parley_request_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const updateQueueGauges = makeQueueGauges(dispatcher, timeoutMs, registers);
  return {
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
        // What cannot be reached is left out: the rest is most wanted just then.
        const [otherMetrics] = await Promise.all([
          readOtherMetrics().catch(() => []),
          updateQueueGauges().catch(() => undefined),
        ]);
        const all = AggregatorRegistry.aggregate([
          await registry.getMetricsAsJSON(),
          ...otherMetrics,
        ] as object[][]);
        ctx.set('Content-Type', registry.contentType);
        ctx.body = await all.metrics();
      }),
  };
}

/** Gives what brings the figures of the queues up to date; they are only looked at when somebody reads. */
function makeQueueGauges(
  dispatcher: Dispatcher,
  timeoutMs: number,
  registers: Registry[],
): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['queue'], registers });
  const depth = gauge('parley_queue_depth', 'Jobs that could run and have not begun');
  const oldest = gauge(
    'parley_queue_oldest_seconds',
    'How long the oldest of them has waited; 0 without any',
  );
  const sweptReplies = gauge(
    'parley_reply_sweeps',
    'Replies since the start that no event brought, only a look',
  );
  const ready: Gauge = new Gauge({
    name: 'parley_queue_store_ready',
    help: 'Whether the store of the queues takes jobs: 1 or 0',
    registers,
    collect: (): void => ready.set(dispatcher.isReady() ? 1 : 0),
  });
  return async () => {
    for (const seen of await dispatcher.progress(timeoutMs)) {
      const labels = { queue: seen.queue };
      depth.set(labels, seen.depth);
      oldest.set(labels, (seen.oldestAgeMs ?? 0) / 1_000);
      sweptReplies.set(labels, seen.sweptReplies);
    }
  };
}
