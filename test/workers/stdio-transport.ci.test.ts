import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeStdioTransport } from '../../workers/tools/mcp/connection.ts';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/temp-folder.ts';

/** Ignores the end of its input and SIGTERM. */
const stubborn = `
  import { writeFileSync } from 'node:fs';
  process.on('SIGTERM', () => {});
  process.stdin.resume();
  setInterval(() => {}, 1_000);
  writeFileSync(process.argv[2], String(process.pid));
`;

/** Runs the test with that script, and the process id that the script tells. */
const withStubborn =
  (
    test: (args: readonly [script: string, mark: string], startedPid: () => Promise<number>) => Promise<void>,
  ) =>
  async () => {
    const folder = await makeFolder();
    const script = await folder.write('stubborn.mjs', stubborn);
    const readPid = async () => Number(await folder.read('pid').catch(() => ''));
    await test([script, folder.pathOf('pid')], () => eventually(readPid, pid => pid > 0));
    await folder.drop();
  };

const hasEnded = (pid: number) =>
  eventually(
    () => isAlive(pid),
    alive => !alive,
  );

describe('a server that is a process of ours', () => {
  itAtOnce({
    'ends with its connection, however little it wants to': withStubborn(async (args, startedPid) => {
      const transport = makeStdioTransport(process.execPath, args);
      await transport.start();
      const pid = await startedPid();
      await transport.close();
      await hasEnded(pid);
    }),

    'ends with the process that started it, though that was killed': withStubborn(
      async (args, startedPid) => {
        const file = join(import.meta.dirname, '..', '..', 'workers', 'tools', 'mcp', 'connection.ts');
        const program = `
          import { makeStdioTransport } from ${JSON.stringify(file)};
          await makeStdioTransport(process.execPath, ${JSON.stringify(args)}).start();
          setInterval(() => {}, 1_000);`;
        const starter = spawn(
          process.execPath,
          ['--import', 'tsx', '--input-type=module', '--eval', program],
          { stdio: 'ignore' },
        );
        const pid = await startedPid();
        expect(isAlive(pid)).to.equal(true);
        starter.kill('SIGKILL');
        await once(starter, 'exit');
        await hasEnded(pid);
      },
    ),
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
