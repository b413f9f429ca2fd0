import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { choosePort } from '../../commands/launcher/start-parts.ts';
import { SupervisedProcess } from '../../commands/launcher/supervised-process.ts';
import { findEmbedded, startEmbedded } from '../../db/embedded.ts';
import { makeBackoff } from '../../platform/repeat.ts';
import { CHILDREN_END_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { askDatabase } from '../support/ask-database.ts';
import { argsOf } from '../support/program.ts';

const root = join(import.meta.dirname, '..', '..');
const ends = `for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => end(event));`;
const programs = {
  'release.mjs': `console.log('released with', process.env.DATABASE_URL ? 'a database' : 'nothing');`,
  'web.mjs': `
    let ending = false;
    const end = event => {
      if (ending) return;
      ending = true;
      console.log('web drains after', event);
      setTimeout(() => (console.log('web has drained'), process.exit(0)), 200);
    };
    ${ends}
    const { DATABASE_URL, SECRET_KEY, OPS_PASSWORD, APP_ENV, HOST, PORT } = process.env;
    console.log('web ' + process.pid + ' is up ' + JSON.stringify({ DATABASE_URL, SECRET_KEY, OPS_PASSWORD, APP_ENV, HOST, PORT }));
    setInterval(() => {}, 1000);`,
  'brittle.mjs': `console.log('{"brittle":' + Date.now() + '}'); process.exitCode = 7;`,
  'stubborn.mjs': `
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => console.log('stubborn stays'));
    console.log('stubborn ' + process.pid + ' is up');
    setInterval(() => {}, 1000);`,
};

interface Started {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** The first matching line, past or future. */
  readonly line: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<number | string>;
}

describe('npm start', function () {
  let folder: string;
  let dataDir: string;
  /** The data folder of an earlier start, which takes seconds to make. */
  let earlier: string;
  const all: Started[] = [];

  /** The launcher in its own process group, as a shell starts it. */
  const start = async (processes: string[], settings: Record<string, string> = {}): Promise<Started> => {
    const procfile = join(folder, `Procfile-${processes.join('-')}`);
    const lines = processes.map(name => `${name}: node ${join(folder, `${name}.mjs`)}`);
    await writeFile(procfile, lines.join('\n'));
    const args = [...argsOf('commands/start.ts'), '--procfile', procfile];
    const env = {
      HOME: folder,
      DATA_DIR: dataDir,
      OPENAI_API_KEY: 'none',
      OPENAI_MODEL: 'none',
      ...settings,
    };
    const started = follow(spawn(process.execPath, args, { cwd: root, env, detached: true }));
    all.push(started);
    return started;
  };

  before(async () => {
    earlier = await mkdtemp(join(tmpdir(), 'parley-start-'));
    await (await startEmbedded(earlier)).stop();
  });
  after(() => rm(earlier, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-start-'));
    dataDir = join(folder, 'data');
    execFileSync('cp', ['-a', earlier, dataDir]);
    for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  });
  afterEach(async () => {
    for (const { child, ended } of all.splice(0)) {
      killGroup(child, 'SIGKILL');
      await ended;
    }
    const left = processesOf(dataDir);
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, maxRetries: 10, retryDelay: 100 });
  });

  it('releases first and once, then gives its processes all that was not set', async () => {
    // It is the first start of all.
    await rm(dataDir, { recursive: true });
    const { line, lines } = await start(['web', 'release', 'brittle']);
    const [, said = ''] = await line(/^web .* is up (.*)/);
    await line(/^parley .*brittle exited/);
    expect(lines.find(text => !text.startsWith('parley'))).to.match(/^release \| released with a database/);
    expect(lines.filter(text => text.startsWith('release'))).to.have.length(1);
    const settings = JSON.parse(said);
    expect(settings)
      .to.include.keys('SECRET_KEY', 'OPS_PASSWORD', 'PORT')
      .and.include({ APP_ENV: 'development', HOST: '127.0.0.1' });
    expect(await answerOf(settings.DATABASE_URL)).to.equal('parley');
    const kept = join(dataDir, 'secret-key');
    expect((await readFile(kept, 'utf8')).trim()).to.equal(settings.SECRET_KEY);
    expect((await stat(kept)).mode & 0o777).to.equal(0o600);
  });

  it('checks its own settings as those of its processes: the provider of accounts may be on this machine', async () => {
    const accounts = { OIDC_ISSUER: 'http://127.0.0.1:9400', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 's' };
    const { line } = await start(['web'], accounts);
    await line(/^web .* is up/);
    const refused = await start(['web'], { ...accounts, APP_ENV: 'production' });
    expect(await refused.ended).to.equal(78);
  });

  it('gives up a process that exits at once each time', async () => {
    const plan = { name: 'brittle', command: ['node', '--eval', 'process.exitCode = 7'], env: {} };
    const { failed } = new SupervisedProcess(() => plan, undefined, makeBackoff(1, 1));
    const error: unknown = await failed.catch((cause: unknown) => cause);
    expect(String(error)).to.include('brittle exits at once each time (exit code 7)');
  });

  it('uses what is set instead of its own', async () => {
    const DATABASE_URL = 'postgres://somebody@127.0.0.1:1/theirs';
    const { line } = await start(['web'], {
      DATABASE_URL,
      SECRET_KEY: 's'.repeat(32),
      APP_ENV: 'staging',
      HOST: '::1',
    });
    const [, said = ''] = await line(/^web .* is up (.*)/);
    expect(JSON.parse(said)).to.include({
      DATABASE_URL,
      APP_ENV: 'staging',
      HOST: '::1',
      SECRET_KEY: 's'.repeat(32),
    });
    expect(JSON.parse(said)).not.to.have.property('OPS_PASSWORD');
    expect(await findEmbedded(dataDir)).to.equal(undefined);
  });

  it('starts a process again that dies, ever more slowly, and passes its JSON as it is', async () => {
    const started = await start(['brittle']);
    const { lines } = started;
    await times(started, /^\{"brittle":\d+\}$/, 3);
    const [first, second, third] = lines.flatMap(text =>
      text.startsWith('{') ? JSON.parse(text).brittle : [],
    );
    // Backoffs of half a second and one second.
    expect(second - first).to.be.at.least(500);
    expect(third - second).to.be.at.least(1_000);
    expect(lines.join('\n')).to.contain('brittle exited (exit code 7)');
  });

  it('ends with the whole group on SIGTERM, the drained processes first, the database last, nothing left', async () => {
    const { child, line, lines, ended } = await start(['release', 'web', 'brittle']);
    await line(/^web .* is up/);
    // A database in the group would be stopped before its clients.
    expect(groupOf(child).filter(({ args }) => args.includes('postgres'))).to.eql([]);
    killGroup(child, 'SIGTERM');
    expect(await ended).to.equal(0);
    expect(lines.at(-1)).to.match(/web has drained/);
    expect(await findEmbedded(dataDir)).to.equal(undefined);
    expect(processesOf(dataDir)).to.eql([]);
    expect(groupOf(child)).to.eql([]);
  });

  it('ends the same way when only the launcher gets the signal', async () => {
    const { child, line, lines, ended } = await start(['web']);
    await line(/^web .* is up/);
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
    expect(lines.at(-1)).to.match(/web has drained/);
    expect(groupOf(child)).to.eql([]);
  });

  it('takes two signals of one key press for one, and a later second Ctrl-C as it is meant', async () => {
    const { child, line, ended } = await start(['stubborn']);
    await line(/^stubborn.* is up/);
    const pressedAt = Date.now();
    killGroup(child, 'SIGINT');
    killGroup(child, 'SIGINT');
    await line(/stubborn stays/);
    const impatience = setInterval(() => killGroup(child, 'SIGINT'), 100);
    expect(await ended).to.equal(0);
    clearInterval(impatience);
    // Not sooner than a second press counts, nor as late as without one.
    expect(Date.now() - pressedAt).to.be.within(500, CHILDREN_END_WITHIN_MS);
    expect(groupOf(child)).to.eql([]);
    expect(processesOf(dataDir)).to.eql([]);
  });

  it('refuses a second start on the same data, and leaves the first alone', async () => {
    const first = await start(['web']);
    await first.line(/^web .* is up/);
    const second = await start(['web']);
    expect(await second.ended).to.equal(1);
    expect(second.lines.join('\n')).to.match(/already runs on this data folder \(process \d+\)/);
    expect(first.child.exitCode).to.equal(null);
    expect(await findEmbedded(dataDir)).not.to.equal(undefined);
  });

  it('killed alone takes its processes along, and the next start uses the database that is left', async () => {
    const first = await start(['web']);
    await first.line(/^web .* is up/);
    const left = await findEmbedded(dataDir);
    first.child.kill('SIGKILL');
    await untilEmpty(() => groupOf(first.child));
    const second = await start(['web']);
    await second.line(/^web .* is up/);
    expect(await findEmbedded(dataDir)).to.eql(left);
  });

  it('starts again after everything was killed', async () => {
    const first = await start(['web']);
    const [, said = ''] = await first.line(/^web .* is up (.*)/);
    await answerOf(JSON.parse(said).DATABASE_URL, 'create table kept as select 1 as one');
    killGroup(first.child, 'SIGKILL');
    for (const { pid } of processesOf(dataDir)) process.kill(pid, 'SIGKILL');
    await first.ended;
    const second = await start(['web']);
    const [, again = ''] = await second.line(/^web .* is up (.*)/);
    expect(await answerOf(JSON.parse(again).DATABASE_URL, 'select one from kept')).to.equal(1);
    expect(JSON.parse(again).SECRET_KEY).to.equal(JSON.parse(said).SECRET_KEY);
  });

  it('brings a killed database up again where its processes know it', async () => {
    const { line } = await start(['web']);
    const [, said = ''] = await line(/^web .* is up (.*)/);
    const [server] = processesOf(dataDir).filter(({ args }) => args.includes('postgres -D'));
    process.kill(Number(server?.pid), 'SIGKILL');
    await line(/database restarted/);
    expect(await answerOf(JSON.parse(said).DATABASE_URL)).to.equal('parley');
  });

  it('fails with its release, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'release.mjs'), `process.exit(3)`);
    const { ended, lines } = await start(['release', 'web']);
    expect(await ended).to.equal(1);
    expect(lines.join('\n')).to.contain('release failed (exit code 3)').and.not.contain('web');
    expect(processesOf(dataDir)).to.eql([]);
  });

  it('ends as a whole, once and with an error, for a setting that a process says is wrong', async () => {
    await writeFile(join(folder, 'wrong.mjs'), `console.log('setting "X" is wrong'); process.exitCode = 78;`);
    const { lines, ended } = await start(['web', 'wrong']);
    expect(await ended).to.equal(1);
    expect(lines.filter(text => text.includes('setting "X" is wrong'))).to.have.length(1);
    expect(lines.join()).to.include('wrong cannot run with these settings');
  });

  it('ends before it starts anything for a secret that can be guessed, in production', async () => {
    const secret = { APP_ENV: 'production', SECRET_KEY: 'change-me-change-me-change-me-change-me' };
    const { lines, ended } = await start(['web'], secret);
    expect(await ended).to.equal(1);
    expect(lines.filter(text => text.includes('"SECRET_KEY" is too weak'))).to.have.length(1);
    expect(lines.some(text => text.startsWith('web'))).to.equal(false);
  });

  it('takes no port that is in use: another one, or none where that one was asked for', async () => {
    const server = createServer();
    const busy = await new Promise<number>(resolve => {
      server.listen(0, () => resolve(Number(Object(server.address()).port)));
    });
    expect(await choosePort(busy, false, '127.0.0.1'))
      .to.be.greaterThan(0)
      .and.not.equal(busy);
    const refused = await start(['web'], { PORT: String(busy) });
    expect(await refused.ended).to.equal(1);
    expect(refused.lines.join('\n')).to.contain(`port ${busy} is in use`);
    server.close();
    expect(await choosePort(busy, true, '127.0.0.1')).to.equal(busy);
  });
});

function follow(child: ChildProcess): Started {
  const lines: string[] = [];
  const ended = new Promise<number | string>(resolve => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'error'));
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', text => lines.push(text) && child.emit('line'));
  }
  const line = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = lines.map(text => pattern.exec(text)).find(match => match !== null);
      if (found) return found;
      const more = new Promise<true>(resolve => child.once('line', () => resolve(true)));
      const end = await Promise.race([more, ended]);
      if (end !== true) throw new Error(`ended (${end}) without ${pattern}:\n${lines.join('\n')}`);
    }
  };
  return { child, lines, line, ended };
}

/** Resolves when that many lines match. */
async function times({ child, lines }: Started, pattern: RegExp, count: number): Promise<void> {
  while (lines.filter(text => pattern.test(text)).length < count) {
    await new Promise(resolve => child.once('line', resolve));
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (groupOf(child).length > 0) process.kill(-Number(child.pid), signal);
}

interface Listed {
  readonly pid: number;
  readonly group: number;
  readonly args: string;
}

function groupOf(child: ChildProcess): Listed[] {
  return listed().filter(({ group }) => group === child.pid);
}

function processesOf(dataDir: string): Listed[] {
  return listed().filter(({ args }) => args.includes(dataDir));
}

/** An exited process stays listed until its parent has reaped it. */
function listed(): Listed[] {
  const lines = execFileSync('ps', ['-Awwo', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap(line => {
    const [, pid, group, state, args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return state && !state.startsWith('Z') ? [{ pid: Number(pid), group: Number(group), args }] : [];
  });
}

async function untilEmpty(list: () => unknown[]): Promise<void> {
  while (list().length > 0) await new Promise(again => setTimeout(again, 20));
}

/** The first value of the result. */
async function answerOf(url: string, sql = 'select current_database()'): Promise<unknown> {
  const [row = {}] = await askDatabase(url, sql);
  return Object.values(row)[0];
}
