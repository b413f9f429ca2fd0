import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { dropEmptySettings } from '../../platform/config.ts';
import { argsOf } from './program.ts';
import type { Service } from './service.ts';

/** A process of the service as in production, which may be killed. */
export interface SpawnedProcess {
  readonly pid: number;
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface SpawnedApi extends SpawnedProcess {
  readonly baseURL: string;
}

export interface SpawnOptions {
  readonly clockOffsetMs?: number;
  /** Settings beside the ones of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when it takes jobs. */
export async function spawnWorker(service: Service, options: SpawnOptions = {}): Promise<SpawnedProcess> {
  const { child } = await spawnReady('workers/main.ts', service, 'worker started', options);
  return spawnedOf(child);
}

/** Resolves when it takes requests, on a port of its own. */
export async function spawnApi(service: Service, options: SpawnOptions = {}): Promise<SpawnedApi> {
  const { child, line } = await spawnReady('api/main.ts', service, 'api started', options);
  const { port } = JSON.parse(line) as { port: number };
  return { ...spawnedOf(child), baseURL: `http://127.0.0.1:${port}` };
}

/** Kills the remaining processes, in any state. */
export async function endAll(processes: readonly SpawnedProcess[]): Promise<void> {
  for (const spawned of processes) spawned.kill('SIGKILL');
  await Promise.all(processes.map(spawned => spawned.ended));
}

function spawnReady(
  file: string,
  service: Service,
  readyLine: string,
  { clockOffsetMs = 0, env = {} }: SpawnOptions = {},
) {
  const clock =
    clockOffsetMs === 0 ? [] : ['--import', `./test/support/shifted-clock.mjs?ms=${clockOffsetMs}`];
  // The IPC channel is unused: when it closes, the child knows that its parent is gone.
  const child = spawn(process.execPath, [...clock, ...argsOf(file)], {
    env: { ...environmentOf(service), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let last = '';
  return new Promise<{ child: ChildProcess; line: string }>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file} ended before it was ready: ${last}`)));
    createInterface({ input: child.stdout as Readable }).on('line', line => {
      last = line;
      if (line.includes(readyLine)) resolve({ child, line });
    });
  });
}

function environmentOf({ settings }: Service): NodeJS.ProcessEnv {
  const { REDIS_URL: _, ...inherited } = dropEmptySettings();
  return {
    ...inherited,
    APP_ENV: 'production',
    PORT: '0',
    DATABASE_URL: settings.databaseUrl,
    ...(settings.redisUrl ? { REDIS_URL: settings.redisUrl } : {}),
    SECRET_KEY: settings.secretKey,
    OPENAI_BASE_URL: settings.openaiBaseUrl,
    OPENAI_API_KEY: settings.openaiApiKey,
    OPENAI_MODEL: settings.openaiModel,
    REQUEST_TIMEOUT_MS: String(settings.requestTimeoutMs),
    WORKER_CONCURRENCY: String(settings.workerConcurrency),
    ...(settings.modelPrices ? { MODEL_PRICES: JSON.stringify(settings.modelPrices) } : {}),
    INSIGHT_CONCURRENCY: String(settings.insightConcurrency),
    INSIGHT_AFTER_SECONDS: String(settings.insightAfterSeconds),
    LOG_LEVEL: 'info',
  };
}

function spawnedOf(child: ChildProcess): SpawnedProcess {
  const ended = new Promise<number | NodeJS.Signals>(resolve => {
    if (child.exitCode !== null) resolve(child.exitCode);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
  return { pid: child.pid ?? 0, ended, kill: signal => void child.kill(signal) };
}
