import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Whether this run is on Redis: `npm test` needs none. */
export const usesRedis = process.env['STORE'] === 'redis' || Boolean(process.env['REDIS_URL']);

/** `describe` for tests that start a Redis: pending in a run without. */
export function describeWithRedis(title: string, define: (this: Mocha.Suite) => void): void {
  // Read at each call: with `--parallel`, a process loads this module once, and each test file has its own `describe`.
  (usesRedis ? describe : describe.skip)(title, define);
}

/** A Redis for one test. */
export interface OwnRedis {
  readonly url: string;
  kill(): Promise<void>;
  /** On the same port, empty. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open, and nothing is answered until it continues. */
  freeze(): void;
  goOn(): void;
}

export async function makeOwnRedis(): Promise<OwnRedis> {
  const port = await freePort();
  let server: ChildProcess | undefined;
  const killWithRun = () => void server?.kill('SIGKILL');
  const redis: OwnRedis = {
    url: `redis://127.0.0.1:${port}/0`,
    async kill() {
      if (!server) return;
      process.off('exit', killWithRun);
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      server = undefined;
    },
    freeze: () => void server?.kill('SIGSTOP'),
    goOn: () => void server?.kill('SIGCONT'),
    async start() {
      const address = ['--port', String(port), '--bind', '127.0.0.1'];
      // Another name than the default: it would load what another server has left in the folder.
      const stored = [
        '--save',
        '',
        '--appendonly',
        'no',
        '--dbfilename',
        `parley-test-${port}.rdb`,
        '--databases',
        '64',
      ];
      server = spawn('redis-server', [...address, ...stored], {
        cwd: tmpdir(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // An aborted run would leave it behind.
      process.once('exit', killWithRun);
      await isReady(server);
    },
  };
  await redis.start();
  return redis;
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`redis-server ended with ${code}`)));
    createInterface({ input: child.stdout as Readable }).on('line', line => {
      if (line.includes('Ready to accept connections')) resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}
