import { Gauge, type Registry } from 'prom-client';

/** What a process tells of itself, among its figures; the others read it there. */
export interface ProcessInfo {
  readonly process: string;
  readonly kind: 'web' | 'worker' | 'indexer';
  /** Those that it serves. */
  readonly queues: readonly string[];
  /** See `Seal.fingerprint`; empty where it opens no jobs. */
  readonly key: string;
}

const NAME = 'parley_process_info';

/** `process` is the registry's own label. */
export function registerProcessInfo(registry: Registry, info: Omit<ProcessInfo, 'process'>): void {
  const gauge = new Gauge({
    name: NAME,
    help: 'Always 1: which processes run, what they serve, and a fingerprint of their SECRET_KEY',
    labelNames: ['kind', 'queues', 'key'],
    registers: [registry],
  });
  gauge.set({ kind: info.kind, queues: info.queues.join(','), key: info.key }, 1);
}

interface PublishedMetric {
  readonly name: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>> }[];
}

/** Of figures as processes published them. */
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
    })),
  );
}
