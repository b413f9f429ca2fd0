import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../../db/connection.ts';
import { deleteMetrics, storeMetrics } from '../../db/process-metrics.ts';
import { readPipelineState } from '../../db/search/pipeline.ts';
import { DURATION_BUCKETS } from '../../platform/duration-buckets.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { repeat } from '../../platform/repeat.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import type { ModelCall } from '../model/model.ts';
import type { Tool } from '../tools/tool.ts';

export interface WorkerMetrics {
  readonly registry: Registry;
  /** Wraps a job handler and counts its jobs. */
  countJobs(handler: JobHandler): JobHandler;
  readonly onModelCall: (call: ModelCall) => void;
  readonly onToolRun: (run: { readonly kind: Tool['kind'] | 'unknown'; readonly status: string }) => void;
}

/** Price of a million tokens by model; a model that is not listed costs nothing. */
export type ModelPrices = Readonly<Record<string, number>>;

/** `process` is the label of this process in Prometheus. A failing metric never fails a job: errors go to `onError`. */
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
  const waitTime = histogram('parley_job_wait_seconds', 'Time from a request to its worker', 'queue');
  const runTime = histogram('parley_job_run_seconds', 'Time from worker to outcome', 'operation');
  const countWait = catchErrors(({ queue, ms }: { queue: string; ms: number }) => {
    waitTime.observe({ queue }, Math.max(ms, 0) / 1_000);
  }, onError);
  const countJob = catchErrors(({ operation, code, ms }: { operation: string; code: number; ms: number }) => {
    runTime.observe({ operation }, ms / 1_000);
    jobs.inc({ operation, code });
  }, onError);
  return {
    registry,
    onModelCall: catchErrors(modelCounter(registers, prices), onError),
    onToolRun: catchErrors(toolCounter(registers), onError),
    countJobs: ({ handle, storeOutcome }) => ({
      storeOutcome,
      async handle(run) {
        const { queue, operation } = run;
        countWait({ queue, ms: run.deadline - run.remainingMs() - run.arrivedAt });
        const startedAt = performance.now();
        const outcome = await handle(run);
        countJob({ operation, code: outcome.code, ms: performance.now() - startedAt });
        return outcome;
      },
    }),
  };
}

function catchErrors<T>(record: (value: T) => void, onError: (error: unknown) => void): (value: T) => void {
  return value => {
    try {
      record(value);
    } catch (error) {
      onError(error);
    }
  };
}

const MAX_MODELS = 100;
const OTHER_MODELS = 'other';

/** Tenants may name any model where no provider lists its models: the limit keeps the number of label values finite. */
function modelLabels(prices: ModelPrices): (model: string) => string {
  const known = new Set(Object.keys(prices));
  const most = known.size + MAX_MODELS;
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
    'Calls of models by HTTP status; 0 without a response',
    'status',
  );
  const seconds = counter('parley_model_seconds_total', 'Time spent in calls of models');
  const tokens = counter('parley_model_tokens_total', 'Tokens of calls of models, prompt and answer');
  const cost = counter('parley_model_cost_total', 'Cost of those tokens by MODEL_PRICES');
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
    help: 'Functions called by models',
    labelNames,
    registers,
  });
  return ({ kind, status }) => runs.inc({ kind, status });
}

/** Measured by every worker, so that the lag is visible while the indexer is down. */
export function followIndexLag(db: Db, { registry }: WorkerMetrics): void {
  const name = 'parley_index_lag_seconds';
  const help = 'Age of the oldest change that is not in the search index yet';
  const collect = async (): Promise<void> => gauge.set((await readPipelineState(db)).lagMs / 1_000);
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect });
}

const PUBLISH_EVERY_MS = 5_000;

/** A worker listens on no port: it stores its metrics in the database, and the api serves them. Resolves after the first write. */
export async function publishMetrics(db: Db, process: string, registry: Registry, database: OutageLog) {
  const publish = async () => {
    await storeMetrics(db, process, await registry.getMetricsAsJSON());
    database.noteSuccess();
  };
  await publish().catch(database.noteFailure);
  const closing = new AbortController();
  const publishing = repeat(publish, {
    everyMs: PUBLISH_EVERY_MS,
    signal: closing.signal,
    onError: database.noteFailure,
  });
  return {
    async close() {
      closing.abort();
      await publishing;
      await deleteMetrics(db, process).catch(database.noteFailure);
    },
  };
}
