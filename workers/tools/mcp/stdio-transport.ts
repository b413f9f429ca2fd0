import { spawn } from 'node:child_process';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const LARGEST_MESSAGE = 4 * 1_048_576;
const ENDS_WITHIN_MS = 1_000;

/**
 * A server that is a process of ours, with the few variables of the environment that the library deems safe and none
 * of our settings. It ends with its connection, at the latest a second later, and with this process however that
 * ends: a shell beside it reads from us, and kills it when we are gone.
 */
export function makeStdioTransport(command: string, args: readonly string[]): StdioClientTransport {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'ignore',
    maxBufferSize: LARGEST_MESSAGE,
  });
  const start = transport.start.bind(transport);
  const close = transport.close.bind(transport);
  let release = () => {};
  return Object.assign(transport, {
    onclose: () => release(),
    async start() {
      await start();
      if (transport.pid !== null) release = endWithUs(transport.pid);
    },
    async close() {
      const { pid } = transport;
      const limit = setTimeout(() => kill(pid), ENDS_WITHIN_MS);
      await close();
      clearTimeout(limit);
      release();
    },
  });
}

function endWithUs(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A signal from the terminal is for us, and must not end it before us.
    detached: true,
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  return () => guard.kill('SIGKILL');
}

function kill(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
