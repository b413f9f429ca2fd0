import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Client } from 'pg';
import { findBinaries, findNativeFolder } from '../../db/embedded/binaries.ts';
import { isAlive } from '../../db/embedded/postmaster.ts';
import { type EmbeddedServer, ensureDatabase, findEmbedded, startEmbedded } from '../../db/embedded.ts';
import { askDatabase } from '../support/ask-database.ts';
import { eventually } from '../support/eventually.ts';

const isRoot = process.geteuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const somebody = { uid: 1, gid: 1 };

describe('embedded PostgreSQL', function () {
  let home: string;
  let dataDir: string;
  let server: EmbeddedServer;
  const start = async () => {
    server = await startEmbedded(dataDir);
    return server;
  };

  /** The data of the server, which does not run; to make others takes seconds. */
  const copyTo = (name: string) => {
    const copy = join(home, name);
    execFileSync('cp', ['-a', dataDir, copy]);
    return copy;
  };

  before(async () => {
    // mkdtemp uses mode 0700, like a home that others may not enter.
    home = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
    dataDir = join(home, 'project', 'data');
    await start();
    await askDatabase(server.url, 'create table kept (word text)');
  });
  beforeEach(start);
  after(async () => {
    await server.stop();
    await rm(home, { recursive: true });
  });

  it('takes accented letters for letters in trigrams, as Portuguese needs', async () => {
    await askDatabase(server.url, 'create extension if not exists pg_trgm');
    expect(await askDatabase(server.url, `select show_trgm('ã') = show_trgm('õ') as same`)).to.eql([
      { same: false },
    ]);
    expect(await askDatabase(server.url, `select lower('ÁÇÃO') as small`)).to.eql([{ small: 'áção' }]);
  });

  it('is found as long as it runs and no longer', async () => {
    expect(await findEmbedded(dataDir)).to.eql({ url: server.url, port: server.port });
    await server.stop();
    expect(await findEmbedded(dataDir)).to.equal(undefined);
    expect(await findEmbedded(join(home, 'elsewhere'))).to.equal(undefined);
  });

  it('is one server for all who start it, before it runs and while it runs', async () => {
    await server.stop();
    const started = await Promise.all([1, 2, 3].map(() => startEmbedded(dataDir)));
    expect(new Set([...started.map(one => one.pid), (await start()).pid]).size).to.equal(1);
  });

  it('starts although a crash left its pid file empty', async () => {
    await server.stop();
    await writeFile(join(dataDir, 'pg', 'postmaster.pid'), '');
    expect(await wordsOf(await start())).to.be.an('array');
  });

  it('is made once when two start at the same time on a folder whose making was killed', async () => {
    const interrupted = join(home, 'interrupted');
    const noProcess = 2 ** 22 + 1;
    await mkdir(join(interrupted, `pg.new-${noProcess}-x`, 'base'), { recursive: true });
    const [one, other] = await Promise.all([startEmbedded(interrupted), startEmbedded(interrupted)]);
    expect(one.url).to.equal(other.url);
    await one.stop();
    expect((await readdir(interrupted)).toSorted()).to.eql(['pg', 'postgres.log']);
  });

  it('keeps its data over a stop and a new start', async () => {
    await askDatabase(server.url, `insert into kept values ('stopped')`);
    await server.stop();
    expect(await wordsOf(await start())).to.include('stopped');
  });

  it('keeps what was committed when it is killed, and waits for what its own sessions still do', async () => {
    await askDatabase(server.url, `insert into kept values ('killed')`);
    const busy = askDatabase(server.url, 'select count(*) from generate_series(1, 20000000)').catch(String);
    const active = `select from pg_stat_activity where query like '%generate_series(1, 2%' and pid <> pg_backend_pid()`;
    while ((await askDatabase(server.url, active)).length === 0);
    process.kill(server.pid, 'SIGKILL');
    await eventually(() => isAlive(server.pid), false);
    expect(await wordsOf(await start())).to.include('killed');
    await busy;
  });

  it('starts although another program has the number in the pid file of a crash', async () => {
    const pidFile = join(dataDir, 'pg', 'postmaster.pid');
    const said = await readFile(pidFile, 'utf8');
    await server.stop();
    await writeFile(pidFile, said.replace(/^\d+/, String(process.pid)));
    if (isRoot) await chown(pidFile, nobody.uid, nobody.gid);
    expect(await findEmbedded(dataDir)).to.equal(undefined);
    expect(await wordsOf(await start())).to.be.an('array');
  });

  it('starts although another folder’s server has the number in the pid file of a crash', async () => {
    await server.stop();
    const other = await startEmbedded(copyTo('other'));
    await askDatabase(other.url, `alter role postgres password 'of another folder'`);
    const pidFile = join(dataDir, 'pg', 'postmaster.pid');
    await cp(join(home, 'other', 'pg', 'postmaster.pid'), pidFile);
    if (isRoot) await chown(pidFile, nobody.uid, nobody.gid);
    expect(await findEmbedded(dataDir)).to.equal(undefined);
    expect((await start()).pid).not.to.equal(other.pid);
    expect(await wordsOf(server)).to.be.an('array');
    await other.stop();
  });

  it('stops although somebody is connected', async () => {
    const client = new Client({ connectionString: server.url });
    const ended = new Promise(resolve => client.on('error', resolve));
    await client.connect();
    await server.stop();
    expect(await ended).to.be.instanceOf(Error);
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    const refused = await askDatabase(server.url.replace(/:\w+@/, ':guess@'), 'select').catch(String);
    expect(refused).to.contain('password authentication failed');
    const [listening] = await askDatabase(server.url, 'show listen_addresses');
    expect(listening).to.eql({ listen_addresses: '127.0.0.1' });
    expect((await stat(join(dataDir, 'pg', 'superuser-password'))).mode & 0o077).to.equal(0);
  });

  it('makes a database once, whatever its name, also for two who ask at once', async () => {
    const name = 'a "quoted" name';
    const make = () => ensureDatabase(server.url, name);
    const [one, other] = await Promise.all([make(), make()]);
    expect(one).to.equal(other);
    expect(await askDatabase(one, 'select current_database() as name')).to.eql([{ name }]);
    expect(await make()).to.equal(one);
  });

  it('says in its error what PostgreSQL said', async () => {
    await server.stop();
    const failure = await startEmbedded(dataDir, { settings: { max_connections: 'many' } }).catch(String);
    expect(failure).to.contain('max_connections');
  });

  describe('as root', () => {
    before(function () {
      if (!isRoot) this.skip();
    });

    it('runs its server without the rights of root', async () => {
      const [row] = await askDatabase(server.url, `select pg_read_file('/proc/self/status') as status`);
      expect(/^Uid:\s+(\d+)/m.exec(String(row?.status))?.[1]).to.equal(String(nobody.uid));
    });

    it('runs the server of another user’s folder as that user', async () => {
      await server.stop();
      const theirs = copyTo('theirs');
      execFileSync('chown', ['-R', `${somebody.uid}:${somebody.gid}`, join(theirs, 'pg')]);
      const again = await startEmbedded(theirs);
      const [row] = await askDatabase(again.url, `select pg_read_file('/proc/self/status') as status`);
      await again.stop();
      expect(/^Uid:\s+(\d+)/m.exec(String(row?.status))?.[1]).to.equal(String(somebody.uid));
    });

    it('works for a user without rights', async function () {
      const root = dirname(dirname(import.meta.dirname));
      // A checkout in a folder that only root may enter cannot be read by other users.
      const read = ['-e', 'require("node:fs").readFileSync(process.argv[1])', join(root, 'package.json')];
      if (spawnSync(process.execPath, read, { ...somebody, cwd: '/' }).status !== 0) this.skip();
      const theirs = await mkdtemp(join(tmpdir(), 'parley-user-'));
      await chown(theirs, somebody.uid, somebody.gid);
      const program = `
        import { startEmbedded } from './db/embedded.ts';
        const server = await startEmbedded(${JSON.stringify(join(theirs, 'data'))});
        await server.stop();
        console.log(server.port);`;
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        ...somebody,
        cwd: root,
        env: { HOME: theirs },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(Number(await text(child.stdout))).to.be.greaterThan(0);
      await rm(theirs, { recursive: true });
    });
  });
});

describe('the binaries of PostgreSQL', function () {
  let folder: string;
  const user = isRoot ? nobody : {};

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-binaries-'));
    await chmod(folder, 0o711);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are copied once where they run, when they are out of reach or lack their links', async () => {
    const native = await unlinkedCopy(join(folder, 'locked', 'native'));
    await chmod(dirname(native), 0o700);
    const roots = [join(folder, 'roots')];
    await mkdir(String(roots[0]));
    const find = () => findBinaries(user, native, roots);
    const [one, other] = await Promise.all([find(), find()]);
    expect(one)
      .to.equal(other)
      .and.to.match(/^.*\/roots\/parley-postgres-\d+\/\w{16}\/bin$/);
    expect(await readdir(dirname(dirname(one)))).to.have.length(1);
    const options = { ...user, cwd: '/', encoding: 'utf8' } as const;
    expect(execFileSync(join(one, 'postgres'), ['--version'], options)).to.match(/18\./);
    expect(await find()).to.equal(one);
  });

  it('are never taken from a folder that somebody else can change', async () => {
    const native = await unlinkedCopy(join(folder, 'native'));
    const planted = join(folder, `parley-postgres-${process.geteuid?.()}`);
    await mkdir(planted);
    await chmod(planted, 0o777);
    expect(await findBinaries(user, native, [folder]).catch(String)).to.contain('can be changed by others');
    await chmod(planted, 0o755);
    if (!isRoot) return;
    await chown(planted, nobody.uid, nobody.gid);
    expect(await findBinaries(user, native, [folder]).catch(String)).to.contain('belongs to somebody else');
  });
});

/** The package without its install scripts, and without the thousand files that a server reads when it runs. */
async function unlinkedCopy(to: string): Promise<string> {
  const native = findNativeFolder();
  await cp(native, to, {
    recursive: true,
    filter: async path => path !== join(native, 'share') && !(await lstat(path)).isSymbolicLink(),
  });
  return to;
}

async function wordsOf(server: EmbeddedServer): Promise<unknown[]> {
  return (await askDatabase(server.url, 'select word from kept')).map(row => row.word);
}
