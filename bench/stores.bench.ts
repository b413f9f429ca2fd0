import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { Redis } from 'ioredis';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrateQueues } from '../queues/transport/backend.ts';

const TICK_MS = 10;

/** A real store for one measurement. */
export interface BenchStore {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** Milliseconds of processor time that the server has used. */
  processorMs?(): Promise<number>;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<BenchStore> {
  const port = await getPort();
  const stored = ['--save', '', '--appendonly', 'no', '--dbfilename', `parley-bench-${port}.rdb`];
  const args = ['--port', String(port), ...stored];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept')) break;
  server.stdout.resume();
  const redisUrl = `redis://127.0.0.1:${port}`;
  const redis = new Redis(redisUrl);
  const stop = async () => {
    redis.disconnect();
    server.kill();
    await once(server, 'exit');
  };
  const processorMs = async () => {
    const used = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
    return Array.from(used, ([, seconds]) => Number(seconds) * 1_000).reduce((sum, ms) => sum + ms, 0);
  };
  return { redisUrl, databaseUrl: '', processorMs, stop };
}

export async function startPostgres(): Promise<BenchStore> {
  const folder = await makeFolder();
  const server = await startEmbedded(folder.path);
  const databaseUrl = await ensureDatabase(server.url, 'bench');
  await migrateQueues(databaseUrl);
  const stop = async () => {
    await server.stop();
    await folder.remove();
  };
  return { redisUrl: undefined, databaseUrl, processorMs: () => processorMsOf(server.pid), stop };
}

/** The processor time of a process, its children, and their ended children; only on Linux, else 0. */
export async function processorMsOf(parent: number): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name));
  const all = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const ticks = all.map(stat => {
    // The name in brackets may contain spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11);
    if (stat.startsWith(`${parent} `)) return own + system + ended + endedSystem;
    return fields[1] === parent ? own + system : 0;
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

export async function makeFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface Fork extends ChildProcess {
  /** The content of its ready message. */
  said: unknown;
}

/** Starts a process of this folder, from sources or `dist` like this one; resolves when it reports ready. */
export async function forkReady(
  name: string,
  args: readonly string[],
  execArgv: readonly string[] = process.execArgv,
): Promise<Fork> {
  const own = fileURLToPath(import.meta.url);
  const child = fork(join(own, '..', `${name}.bench${extname(own)}`), args, { execArgv: [...execArgv] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it was ready.`);
  });
  const [said] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  return Object.assign(child, { said });
}

export async function stopFork(child: ChildProcess): Promise<void> {
  child.disconnect();
  if (child.exitCode === null) await once(child, 'exit');
}

/** Runs `ask` for 0 to count-1 with this concurrency; returns replies per second and sorted latencies. */
export async function atOnce(count: number, inFlight: number, ask: (at: number) => Promise<void>) {
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (next < count) {
      const at = next++;
      const askedAt = performance.now();
      await ask(at);
      latencies.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(Math.floor(count * share), count - 1)] ?? Number.NaN;
  return { perSecond: count / seconds, p50: at(0.5), p99: at(0.99) };
}
