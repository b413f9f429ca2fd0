import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { KeyFingerprints } from './seal.ts';

/** Each process publishes this in its metrics, for the others. The key is empty if the process decrypts no jobs. */
export interface ProcessInfo extends KeyFingerprints {
  readonly process: string;
  readonly kind: 'web' | 'worker' | 'indexer';
  readonly queues: readonly string[];
}

const NAME = 'parley_process_info';

/** prom-client wakes the process every 10 ms to see how late that is, which takes 4 ms of a processor each second. */
const EVENT_LOOP_LOOKED_AT_EVERY_MS = 100;

/** The metrics of Node.js that every process has. */
export function registerNodeMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_LOOKED_AT_EVERY_MS });
}

/** The label `process` is a default label of the registry. */
export function registerProcessInfo(registry: Registry, info: Omit<ProcessInfo, 'process'>): void {
  const gauge = new Gauge({
    name: NAME,
    help: 'Always 1; labels: the kind of process, its queues, and fingerprints of its SECRET_KEY and SECRET_KEY_PREVIOUS',
    labelNames: ['kind', 'queues', 'key', 'previous_keys'],
    registers: [registry],
  });
  const { kind, queues, key, previousKeys } = info;
  gauge.set({ kind, queues: queues.join(','), key, previous_keys: previousKeys.join(',') }, 1);
}

/** A metric of a process, as stored in the database. */
export interface PublishedMetric {
  readonly name: string;
  readonly values: readonly PublishedValue[];
}

export interface PublishedValue {
  readonly value: number;
  /** The name of a part of a histogram. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function readProcesses(published: readonly unknown[]): ProcessInfo[] {
  const infos = (published as readonly (readonly PublishedMetric[])[])
    .flat()
    .filter(({ name }) => name === NAME);
  return infos.flatMap(({ values }) =>
    values.map(({ labels }) => ({
      process: labels['process'] ?? '',
      kind: labels['kind'] as ProcessInfo['kind'],
      queues: (labels['queues'] ?? '').split(',').filter(Boolean),
      key: labels['key'] ?? '',
      previousKeys: (labels['previous_keys'] ?? '').split(',').filter(Boolean),
    })),
  );
}

/** Histogram buckets for durations, in seconds, up to the default time limit of a request. */
export const DURATION_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
