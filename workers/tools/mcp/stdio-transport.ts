import { spawn } from 'node:child_process';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const MAX_MESSAGE_BYTES = 4 * 1_048_576;
const END_TIMEOUT_MS = 1_000;

/**
 * Runs a server as a child process, with the environment variables that the library considers safe and none of our
 * settings. The child is killed at the latest a second after the connection closes. It also ends with this process,
 * even after SIGKILL: a guard shell reads from a pipe of ours and kills the child when the pipe closes.
 */
export function makeStdioTransport(command: string, args: readonly string[]): StdioClientTransport {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'ignore',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const start = transport.start.bind(transport);
  const close = transport.close.bind(transport);
  let release = () => {};
  return Object.assign(transport, {
    onclose: () => release(),
    async start() {
      await start();
      if (transport.pid !== null) release = startGuard(transport.pid);
    },
    async close() {
      const { pid } = transport;
      const limit = setTimeout(() => kill(pid), END_TIMEOUT_MS);
      await close();
      clearTimeout(limit);
      release();
    },
  });
}

function startGuard(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A signal from the terminal must not end the guard before this process.
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
    // The child has already ended.
  }
}
