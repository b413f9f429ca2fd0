import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeStdioTransport } from '../../workers/tools/mcp/stdio-transport.ts';
import { eventually } from '../support/eventually.ts';

/** Ignores the end of its input and SIGTERM. */
const stubborn = `
  import { writeFileSync } from 'node:fs';
  process.on('SIGTERM', () => {});
  process.stdin.resume();
  setInterval(() => {}, 1_000);
  writeFileSync(process.argv[2], String(process.pid));
`;

describe('a server that is a process of ours', () => {
  let folder: string;
  let script: string;
  let mark: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-stdio-'));
    script = join(folder, 'stubborn.mjs');
    mark = join(folder, 'pid');
    await writeFile(script, stubborn);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const startedPid = () =>
    eventually(
      async () => Number(await readFile(mark, 'utf8').catch(() => '')),
      pid => pid > 0,
      15_000,
    );
  const hasEnded = (pid: number) =>
    eventually(
      () => isAlive(pid),
      alive => !alive,
      15_000,
    );

  it('ends with its connection, however little it wants to', async () => {
    const transport = makeStdioTransport(process.execPath, [script, mark]);
    await transport.start();
    const pid = await startedPid();
    await transport.close();
    await hasEnded(pid);
  });

  it('ends with the process that started it, though that was killed', async () => {
    const file = join(import.meta.dirname, '..', '..', 'workers', 'tools', 'mcp', 'stdio-transport.ts');
    const program = `
      import { makeStdioTransport } from ${JSON.stringify(file)};
      await makeStdioTransport(process.execPath, ${JSON.stringify([script, mark])}).start();
      setInterval(() => {}, 1_000);`;
    const starter = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      stdio: 'ignore',
    });
    const pid = await startedPid();
    expect(isAlive(pid)).to.equal(true);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    await hasEnded(pid);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
