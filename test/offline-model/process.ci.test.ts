import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { argsOf } from '../support/program.ts';

const command = [process.execPath, ...argsOf('offline-model/main.ts')];

describe('offline model: its process', () => {
  it('needs no environment, prints its port and ends with 0 on SIGTERM and SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      await withProcess([], async (child, port) => {
        const models = await fetch(`http://127.0.0.1:${port}/v1/models`);
        expect(models.status).to.equal(200);
        await models.arrayBuffer();
        const exit = once(child, 'exit');
        child.kill(signal);
        expect(await exit).to.deep.equal([0, null]);
      });
  });

  it('takes the port it is told to, and fails in one line when that is taken', async () => {
    await withProcess([], async (_, port) => {
      const [node = '', ...rest] = command;
      const second = spawn(node, [...rest, '--port', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
      try {
        const lines: string[] = [];
        createInterface({ input: second.stderr }).on('line', line => lines.push(line));
        const [code] = await once(second, 'close');
        expect(code).to.equal(1);
        expect(lines.join('\n')).to.match(/^offline-model: .*EADDRINUSE[^\n]*$/);
      } finally {
        second.kill('SIGKILL');
      }
    });
  });

  it('ends with its launcher: when the channel from that closes', async () => {
    await withProcess([], async child => {
      const exit = once(child, 'exit');
      child.disconnect();
      expect(await exit).to.deep.equal([0, null]);
    });
  });
});

async function portOf(child: ChildProcess): Promise<number> {
  if (!child.stdout) expect.fail('no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return JSON.parse(String(line)).listening;
}

async function withProcess(
  args: readonly string[],
  use: (child: ChildProcess, port: number) => Promise<void>,
) {
  const [node = '', ...rest] = command;
  const child = spawn(node, [...rest, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  try {
    await use(child, await portOf(child));
  } finally {
    child.kill('SIGKILL');
  }
}
