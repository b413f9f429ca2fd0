import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../../db/connection.ts';
import { deleteMetrics, storeMetrics } from '../../db/process-metrics.ts';
import { readPipelineState } from '../../db/search/pipeline.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Answerer } from '../../queues/transport/consumer.ts';
import { DURATION_BUCKETS } from '../../queues/transport/progress.ts';
import type { ModelCall } from '../model/model.ts';
import type { Tool } from '../tools/tool.ts';
import { regularly } from './regularly.ts';

export interface WorkerMetrics {
  readonly registry: Registry;
  /** The same answers, counted. */
  counted(answerer: Answerer): Answerer;
  readonly onModelCall: (call: ModelCall) => void;
  readonly onToolRun: (run: { readonly kind: Tool['kind'] | 'unknown'; readonly status: string }) => void;
}

/** What a million tokens of each model cost; those of a model that is not named cost nothing. */
export type ModelPrices = Readonly<Record<string, number>>;

/** `process` tells this process from all others in what Prometheus reads. No figure is worth a turn: none ever throws. */
export function makeWorkerMetrics(
  process: string,
  prices: ModelPrices = {},
  onError: (error: unknown) => void = () => {},
): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  const jobs = new Counter({
    name: 'parley_jobs_total',
    help: 'Jobs ended, by operation and code',
    labelNames: ['operation', 'code'],
    registers,
  });
  const histogram = (name: string, help: string, label: string) =>
    new Histogram({ name, help, labelNames: [label], buckets: DURATION_BUCKETS, registers });
  const waited = histogram('parley_job_wait_seconds', 'From the arrival of a request to a worker', 'queue');
  const worked = histogram(
    'parley_job_run_seconds',
    'From a worker taking a job to its outcome',
    'operation',
  );
  const countWait = unfailing(({ queue, ms }: { queue: string; ms: number }) => {
    waited.observe({ queue }, Math.max(ms, 0) / 1_000);
  }, onError);
  const countJob = unfailing(({ operation, code, ms }: { operation: string; code: number; ms: number }) => {
    worked.observe({ operation }, ms / 1_000);
    jobs.inc({ operation, code });
  }, onError);
  return {
    registry,
    onModelCall: unfailing(modelCounter(registers, prices), onError),
    onToolRun: unfailing(toolCounter(registers), onError),
    counted: ({ answer, settle }) => ({
      settle,
      async answer(run) {
        const { queue, operation } = run;
        countWait({ queue, ms: run.deadline - run.remainingMs() - run.arrivedAt });
        const startedAt = performance.now();
        const outcome = await answer(run);
        countJob({ operation, code: outcome.code, ms: performance.now() - startedAt });
        return outcome;
      },
    }),
  };
}

function unfailing<T>(count: (what: T) => void, onError: (error: unknown) => void): (what: T) => void {
  return what => {
    try {
      count(what);
    } catch (error) {
      onError(error);
    }
  };
}

const MOST_MODELS = 100;
const OTHER_MODELS = 'other';

/** Where no provider tells its models, tenants may name what they like: a line for each would be without end. */
function modelLabels(prices: ModelPrices): (model: string) => string {
  const known = new Set(Object.keys(prices));
  const most = known.size + MOST_MODELS;
  return model => {
    if (known.size < most) known.add(model);
    return known.has(model) ? model : OTHER_MODELS;
  };
}

function modelCounter(registers: Registry[], prices: ModelPrices): WorkerMetrics['onModelCall'] {
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['model', ...labels], registers });
  const calls = counter(
    'parley_model_calls_total',
    'Calls of models; status 0 where no answer came',
    'status',
  );
  const seconds = counter('parley_model_seconds_total', 'Time that they took');
  const tokens = counter('parley_model_tokens_total', 'Tokens that they counted, asked and answered');
  const cost = counter('parley_model_cost_total', 'What those tokens cost, by MODEL_PRICES');
  const labelOf = modelLabels(prices);
  const priceOf = (model: string) => (Object.hasOwn(prices, model) ? (prices[model] ?? 0) : 0);
  return call => {
    const model = labelOf(call.name);
    calls.inc({ model, status: call.status });
    seconds.inc({ model }, call.durationMs / 1_000);
    tokens.inc({ model }, call.tokens);
    cost.inc({ model }, (call.tokens * priceOf(call.name)) / 1_000_000);
  };
}

function toolCounter(registers: Registry[]): WorkerMetrics['onToolRun'] {
  const labelNames = ['kind', 'status'];
  const runs = new Counter({
    name: 'parley_tool_calls_total',
    help: 'Functions that models called',
    labelNames,
    registers,
  });
  return ({ kind, status }) => runs.inc({ kind, status });
}

/** Asked by every worker, so that it is known when the indexer itself is gone. */
export function followIndexLag(db: Db, { registry }: WorkerMetrics): void {
  const name = 'parley_index_lag_seconds';
  const help = 'Age of the oldest change that the search index has not taken in';
  const collect = async (): Promise<void> => gauge.set((await readPipelineState(db)).lagMs / 1_000);
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect });
}

const PUBLISH_EVERY_MS = 5_000;

/** Processes that listen on no port leave their figures in the database, where the api finds them. Resolves once it has some. */
export async function publishMetrics(db: Db, process: string, registry: Registry, database: OutageLog) {
  const publish = async () => {
    await storeMetrics(db, process, await registry.getMetricsAsJSON());
    database.worked();
  };
  await publish().catch(database.failed);
  const publishing = regularly(PUBLISH_EVERY_MS, publish, database.failed);
  return {
    async close() {
      await publishing.stop();
      await deleteMetrics(db, process).catch(database.failed);
    },
  };
}
