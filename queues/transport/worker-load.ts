import { Gauge, type Registry } from 'prom-client';
import type { PublishedMetric, PublishedValue } from '../../platform/process-info.ts';

/* Workers publish their slots and jobs, and `web` reads them. */

/** A histogram by operation. */
export const JOB_RUN_SECONDS = 'parley_job_run_seconds';
const WORKER_SLOTS = 'parley_worker_slots';

export interface WorkerLoad {
  readonly workers: number;
  /** How many jobs of the queue all workers together run at a time. */
  readonly slots: number;
  /** Mean duration of a job; undefined if none has ended. */
  readonly meanMs: number | undefined;
}

export function registerWorkerSlots<Q extends string>(
  registry: Registry,
  queues: readonly Q[],
  slotsOf: (queue: Q) => number,
): void {
  const gauge = new Gauge({
    name: WORKER_SLOTS,
    help: 'How many jobs of the queue this process runs at a time',
    labelNames: ['queue'],
    registers: [registry],
  });
  for (const queue of queues) gauge.set({ queue }, slotsOf(queue));
}

export function readWorkerLoad(
  published: readonly unknown[],
  queue: string,
  isOfQueue: (operation: string) => boolean,
): WorkerLoad {
  const metrics = (published as readonly (readonly PublishedMetric[])[]).flat();
  const valuesOf = (name: string) =>
    metrics.filter(metric => metric.name === name).flatMap(({ values }) => values);
  const slots = valuesOf(WORKER_SLOTS).filter(({ labels }) => labels['queue'] === queue);
  const runs = valuesOf(JOB_RUN_SECONDS).filter(({ labels }) => isOfQueue(labels['operation'] ?? ''));
  const sumOf = (values: readonly PublishedValue[]) => values.reduce((sum, { value }) => sum + value, 0);
  const ofRuns = (part: 'sum' | 'count') =>
    sumOf(runs.filter(({ metricName }) => metricName === `${JOB_RUN_SECONDS}_${part}`));
  const count = ofRuns('count');
  return {
    workers: slots.length,
    slots: sumOf(slots),
    meanMs: count > 0 ? (ofRuns('sum') * 1_000) / count : undefined,
  };
}
