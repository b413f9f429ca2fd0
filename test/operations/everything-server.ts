import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The reference server of MCP, in its own process. */
export interface EverythingServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Arguments for `stdio`. */
export const everythingCommand: readonly string[] = [
  process.execPath,
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'stdio',
];

/** It takes its port from the environment and does not print it: this script does. */
const sayPort = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const listen = Server.prototype.listen;
  Server.prototype.listen = function (...given) {
    this.once('listening', () => process.stdout.write('port ' + this.address().port + '\\n'));
    return listen.apply(this, given);
  };`)}`;

export async function startEverything(
  transport: 'streamable' | 'sse',
  { port = 0 }: { port?: number } = {},
): Promise<EverythingServer> {
  const [node = '', file = ''] = everythingCommand;
  const script = transport === 'sse' ? 'sse' : 'streamableHttp';
  const child = spawn(node, ['--import', sayPort, file, script], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const own = await portOf(child);
  const path = transport === 'sse' ? 'sse' : 'mcp';
  return {
    url: `http://127.0.0.1:${own}/${path}`,
    port: own,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the reference server ended with ${code}`)));
    createInterface({ input: child.stdout as Readable }).on('line', line => {
      const [, port] = /^port (\d+)$/.exec(line) ?? [];
      if (port) resolve(Number(port));
    });
  });
}
