import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

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
  /** Beyond those of every installation here. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts processes of one installation, as in production; each resolves when it is ready. The model sees `modelKey`. */
export function makeProcessStarter({ databaseUrl, redisUrl = '', openaiBaseUrl, env: more = {} }: Addresses) {
  const own = fileURLToPath(import.meta.url);
  const env = {
    APP_ENV: 'production',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
    OPENAI_BASE_URL: openaiBaseUrl,
    OPENAI_MODEL: 'bench',
    RATE_LIMIT_PER_MINUTE: '0',
    INSIGHT_CONCURRENCY: '0',
    ...more,
  };
  return async (folderName: 'api' | 'workers', modelKey = 'bench'): Promise<StartedProcess> => {
    const main = join(own, '..', '..', folderName, `main${extname(own)}`);
    const child = spawn(process.execPath, [...process.execArgv, main], {
      env: { ...env, OPENAI_API_KEY: modelKey },
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
