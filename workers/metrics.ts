import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../db/connection.ts';
import type { GapReason } from '../db/knowledge/gap-questions.ts';
import { readPipelineState } from '../db/search/pipeline.ts';
import { DURATION_BUCKETS, registerNodeMetrics } from '../platform/process-info.ts';
import type { Job, JobHandler } from '../queues/transport/consumer.ts';
import { JOB_RUN_SECONDS } from '../queues/transport/worker-load.ts';
import { makeHostTurnCounter } from './host-turns.ts';
import type { ModelPrices } from './model/prices.ts';
import type { ModelCall } from './model/tries.ts';
import type { FinishedTurn } from './runtime/turn-time.ts';
import type { Tool } from './tools/tool.ts';

const MAX_MODELS = 100;
const OTHER_MODELS = 'other';

export interface WorkerMetrics {
  readonly registry: Registry;
  countJobs(handler: JobHandler): JobHandler;
  readonly onModelCall: (call: ModelCall) => void;
  readonly onToolRun: (run: { readonly kind: Tool['kind'] | 'unknown'; readonly status: string }) => void;
  readonly onAnswer: (answer: { readonly isSupported: boolean }) => void;
  readonly onTurn: (turn: FinishedTurn) => void;
  readonly onGap: (reason: GapReason) => void;
}

/** `process` is the label of this process in Prometheus. A failing metric never fails a job: errors go to `onError`. */
export function makeWorkerMetrics(
  process: string,
  prices: ModelPrices = {},
  onError: (error: unknown) => void = () => {},
): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ process });
  registerNodeMetrics(registry);
  const jobs = new Counter({
    name: 'parley_jobs_total',
    help: 'Jobs ended, by operation and code',
    labelNames: ['operation', 'code'],
    registers,
  });
  const histogram = (name: string, help: string, label: string) =>
    new Histogram({ name, help, labelNames: [label], buckets: DURATION_BUCKETS, registers });
  const waitTime = histogram('parley_job_wait_seconds', 'Time from a request to its worker', 'queue');
  const runTime = histogram(JOB_RUN_SECONDS, 'Time from worker to outcome', 'operation');
  const countWait = catchErrors(({ queue, ms }: { queue: string; ms: number }) => {
    waitTime.observe({ queue }, Math.max(ms, 0) / 1_000);
  }, onError);
  const countJob = catchErrors(({ operation, code, ms }: { operation: string; code: number; ms: number }) => {
    runTime.observe({ operation }, ms / 1_000);
    jobs.inc({ operation, code });
  }, onError);
  return {
    registry,
    onModelCall: catchErrors(makeModelCounter(registers, prices), onError),
    onToolRun: catchErrors(toolCounter(registers), onError),
    onAnswer: catchErrors(answerCounter(registers), onError),
    onTurn: catchErrors(makeHostTurnCounter(registry), onError),
    onGap: catchErrors(gapCounter(registers), onError),
    countJobs({ handle, storeOutcome }) {
      const startedAt = new WeakMap<Job, number>();
      return {
        handle(job) {
          countWait({ queue: job.queue, ms: job.deadline - job.remainingMs() - job.arrivedAt });
          startedAt.set(job, performance.now());
          return handle(job);
        },
        // Outcomes are counted here, because a handler that is stopped at the deadline, or has a bug, has none of its own.
        storeOutcome(job, outcome) {
          const started = startedAt.get(job);
          if (started !== undefined)
            countJob({ operation: job.operation, code: outcome.code, ms: performance.now() - started });
          return storeOutcome(job, outcome);
        },
      };
    },
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

/** The share of supported answers is the share of `supported="yes"`. */
function answerCounter(registers: Registry[]): WorkerMetrics['onAnswer'] {
  const answers = new Counter({
    name: 'parley_answers_total',
    help: 'Answers of turns, by whether each of their figures stands in a source; without rehearsals',
    labelNames: ['supported'],
    registers,
  });
  return ({ isSupported }) => answers.inc({ supported: isSupported ? 'yes' : 'no' });
}

function gapCounter(registers: Registry[]): WorkerMetrics['onGap'] {
  const gaps = new Counter({
    name: 'parley_gap_questions_total',
    help: 'Questions that found no answer, by what left them unanswered',
    labelNames: ['reason'],
    registers,
  });
  return reason => gaps.inc({ reason });
}

/** Limits the label values: tenants may name any model if no provider lists its models. */
function modelLabels(prices: ModelPrices): (model: string) => string {
  const known = new Set(Object.keys(prices));
  const maxKnown = known.size + MAX_MODELS;
  return model => {
    if (known.size < maxKnown) known.add(model);
    return known.has(model) ? model : OTHER_MODELS;
  };
}

function makeModelCounter(registers: Registry[], prices: ModelPrices): (call: ModelCall) => void {
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['model', ...labels], registers });
  const calls = counter(
    'parley_model_calls_total',
    'Calls of models by HTTP status; 0 without a response',
    'status',
  );
  const seconds = counter('parley_model_seconds_total', 'Time spent in calls of models');
  const tokens = counter('parley_model_tokens_total', 'Tokens of calls of models, prompt and answer');
  const cost = counter('parley_model_cost_total', 'Cost of calls of models by MODEL_PRICES');
  const labelOf = modelLabels(prices);
  return call => {
    // Hosts name their own models freely: a thousand names of one host would use up the labels of all others.
    const isNamed = !call.isOfHost || Object.hasOwn(prices, call.name);
    const model = isNamed ? labelOf(call.name) : OTHER_MODELS;
    calls.inc({ model, status: call.status });
    seconds.inc({ model }, call.durationMs / 1_000);
    tokens.inc({ model }, call.usage.input + call.usage.output);
    cost.inc({ model }, Number(call.cost));
  };
}

/** Every worker measures the lag, so that it is visible while the indexer is down. */
export function followIndexLag(db: Db, { registry }: WorkerMetrics): void {
  const name = 'parley_index_lag_seconds';
  const help = 'Age of the oldest change that is not in the search index yet';
  const collect = async (): Promise<void> => gauge.set((await readPipelineState(db)).lagMs / 1_000);
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect });
}
