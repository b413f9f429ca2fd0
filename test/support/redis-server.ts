import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import getPort from 'get-port';

export interface OwnRedis {
  readonly url: string;
  kill(): Promise<void>;
  /** On the same port, empty. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open, and nothing is answered until it continues. */
  freeze(): void;
  goOn(): void;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(server => server.kill('SIGKILL')));

/** A process of Redis that keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  readonly #args: readonly string[];
  #server: ChildProcess | undefined;

  constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#args = args;
  }

  async kill(): Promise<void> {
    if (!this.#server) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGKILL');
    await ended;
    running.delete(this.#server);
    this.#server = undefined;
  }

  async start(): Promise<void> {
    const address = ['--port', String(this.port), '--bind', '127.0.0.1'];
    // A replica stores what its master sends, and a server that finds it would load it: also one of another run on this port.
    const dump = `parley-test-${this.port}.rdb`;
    rmSync(join(tmpdir(), dump), { force: true });
    const stored = ['--save', '', '--appendonly', 'no', '--dbfilename', dump];
    this.#server = spawn('redis-server', [...address, ...stored, ...this.#args], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // An aborted run would leave it behind.
    running.add(this.#server);
    await isReady(this.#server);
  }

  /** SIGSTOP: connections stay open, and nothing is answered until it continues. */
  freeze(): void {
    this.#server?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#server?.kill('SIGCONT');
  }
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

const MAX_PORTS = 5;

/** A server on a free port. Redis cannot ask the system for one, so another process may take it first: then on another one. */
export async function startOnFreePort(
  make: (port: number) => RedisServer | Promise<RedisServer>,
): Promise<RedisServer> {
  for (let tried = 1; ; tried += 1) {
    const server = await make(await getPort());
    const error: unknown = await server.start().then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (error === undefined) return server;
    if (tried === MAX_PORTS) throw error;
  }
}
