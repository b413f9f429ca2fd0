import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { isAlive } from '../db/embedded/postmaster.ts';
import { eventually } from './support/eventually.ts';
import { root } from './support/source-files.ts';

/** A process of tests, and the process of its PostgreSQL. */
interface Noted {
  readonly by: number;
  readonly server: number;
}

const supportOf = (name: string) => pathToFileURL(join(root, 'test', 'support', name)).href;
/** A test that notes these and then never ends. */
const endless = `
  import { renameSync, writeFileSync } from 'node:fs';
  import { makeDatabase } from '${supportOf('database.ts')}';
  import { testServerPid } from '${supportOf('data-folders.ts')}';
  it('never ends', async () => {
    await makeDatabase();
    const noted = import.meta.filename + '.json';
    writeFileSync(noted + '.new', JSON.stringify({ by: process.pid, server: testServerPid() }));
    renameSync(noted + '.new', noted);
    await new Promise(() => {});
  });`;

describe('a run of tests that is ended from outside', () => {
  let folder: string;
  let run: ChildProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-endless-'));
  });
  afterEach(async () => {
    if (run.pid !== undefined && run.exitCode === null && run.signalCode === null)
      process.kill(-run.pid, 'SIGKILL');
    await rm(folder, { recursive: true });
  });

  async function start(names: readonly string[], options: readonly string[]) {
    const files = names.map(name => join(folder, `${name}.test.ts`));
    for (const file of files) await writeFile(file, endless);
    const args = [join(root, 'node_modules/mocha/bin/mocha.js'), ...options, ...files];
    run = spawn(process.execPath, args, { cwd: root, detached: true, stdio: 'ignore' });
    await eventually(() => files.every(file => existsSync(`${file}.json`)), Boolean);
    const noted = await Promise.all(files.map(file => readFile(`${file}.json`, 'utf8')));
    return noted.map(text => JSON.parse(text) as Noted);
  }

  async function expectNothingLeft(noted: readonly Noted[]) {
    const listFolders = () => ['/dev/shm', tmpdir()].filter(existsSync).flatMap(path => readdirSync(path));
    const isLeft = ({ by, server }: Noted) =>
      isAlive(server) || listFolders().some(name => name.startsWith(`parley-test-${by}-`));
    await eventually(
      () => noted.filter(isLeft),
      left => left.length === 0,
    );
  }

  // A closed terminal, Ctrl-C and `timeout` send their signal to all processes of the run.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`leaves neither servers nor their data after a ${signal} to all its processes`, async () => {
      const noted = await start(['one', 'two'], ['--parallel']);
      expect(new Set(noted.map(({ server }) => server)).size).to.equal(2);
      process.kill(-(run.pid ?? 0), signal);
      await expectNothingLeft(noted);
    });

  it('leaves neither after the death of its first process', async () => {
    const noted = await start(['one', 'two'], ['--parallel']);
    run.kill('SIGKILL');
    await expectNothingLeft(noted);
  });

  it('leaves neither where it is one process, and says by which signal it ended', async () => {
    const noted = await start(['one'], []);
    const ended = once(run, 'exit');
    run.kill('SIGTERM');
    await expectNothingLeft(noted);
    expect(await ended).to.deep.equal([143, null]);
  });
});
