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

  it('ends with its parent: when the pipe from it closes', async () => {
    await withProcess(['--exit-with-parent'], async child => {
      const exit = once(child, 'exit');
      child.stdin?.end();
      expect(await exit).to.deep.equal([0, null]);
    });
  });

  it('ends with its parent: when that was killed and there is no pipe', async () => {
    const args = JSON.stringify([...command.slice(1), '--exit-with-parent']);
    const script = `
      const stdio = ['ignore', 'inherit', 'inherit'];
      const child = require('node:child_process').spawn(process.execPath, ${args}, { stdio });
      process.stderr.write(child.pid + '\\n');`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [pid] = await once(createInterface({ input: parent.stderr }), 'line');
    try {
      await portOf(parent);
      // Both have the output pipe open, so its end means that the model has exited, too.
      const closed = once(parent, 'close');
      parent.kill('SIGKILL');
      await closed;
    } finally {
      endAnyway(Number(pid));
    }
  });

  it('lives on without --exit-with-parent when its input ends', async () => {
    await withProcess([], async (child, port) => {
      child.stdin?.end();
      expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).to.equal(200);
      expect(child.exitCode).to.equal(null);
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
  const child = spawn(node, [...rest, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  try {
    await use(child, await portOf(child));
  } finally {
    child.kill('SIGKILL');
  }
}

/** Cleans up after a failing test. */
function endAnyway(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already exited, as expected.
  }
}
