import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { OwnRedis } from '../test/support/redis-server.ts';
import { SECRET_KEY } from './database.bench.ts';

export interface StartedProcess {
  readonly child: ChildProcess;
  /** The port of a `web` process. */
  readonly port: number;
}

interface Addresses {
  readonly databaseUrl: string;
  /** Undefined: the queues are in PostgreSQL. */
  readonly redisUrl: string | undefined;
  readonly openaiBaseUrl: string;
  /** Variables beside the ones that every installation here has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts processes of one installation, as in production; each resolves when it is ready. The model sees `modelKey`. */
export function makeProcessStarter({ databaseUrl, redisUrl = '', openaiBaseUrl, env: more = {} }: Addresses) {
  const own = fileURLToPath(import.meta.url);
  const env = {
    APP_ENV: 'production',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY,
    OPENAI_BASE_URL: openaiBaseUrl,
    OPENAI_MODEL: 'bench',
    RATE_LIMIT_PER_MINUTE: '0',
    INSIGHT_CONCURRENCY: '0',
    ...more,
  };
  return async (folderName: 'api' | 'workers', modelKey = 'bench', port = 0): Promise<StartedProcess> => {
    const main = join(own, '..', '..', folderName, `main${extname(own)}`);
    const child = spawn(process.execPath, [...process.execArgv, main], {
      env: { ...env, PORT: String(port), OPENAI_API_KEY: modelKey },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      if (!/api started|worker started/.test(line)) continue;
      child.stdout?.resume();
      return { child, port: (JSON.parse(line) as { port?: number }).port ?? 0 };
    }
    throw new Error(`a process of ${folderName} ended before it was ready`);
  };
}

export async function killProcess({ child }: StartedProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

interface Victims {
  readonly start: ReturnType<typeof makeProcessStarter>;
  /** The running processes; the oldest of each kind is killed, and its successor comes last. */
  readonly processes: Readonly<Partial<Record<'api' | 'workers', StartedProcess[]>>>;
  readonly redis: OwnRedis | undefined;
  readonly everyMs: number;
}

/** Kills a process of each kind and Redis in turn, starting each again, until the signal. Returns the number of kills. */
export async function killInTurn({ start, processes, redis, everyMs }: Victims, over: AbortSignal) {
  const kills = { api: 0, workers: 0, redis: 0 };
  const folders = (['workers', 'api'] as const).filter(name => processes[name]);
  const kinds = redis ? [...folders, 'redis' as const] : folders;
  for (let at = 0; await delay(everyMs, true, { signal: over }).catch(() => false); at += 1) {
    const kind = kinds[at % kinds.length] ?? 'workers';
    kills[kind] += 1;
    if (kind === 'redis') {
      await redis?.kill();
      await redis?.start();
      continue;
    }
    const running = processes[kind] ?? [];
    const victim = running.shift();
    if (victim) await killProcess(victim);
    running.push(await start(kind));
  }
  return kills;
}
