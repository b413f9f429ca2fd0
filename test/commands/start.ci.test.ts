import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';
import { argsOf } from '../support/program.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('npm start that cannot start', () => {
  const folder = openEach(makeFolder);

  const start = async (settings: Record<string, string>) => {
    const lines = `release: node ${argsOf('commands/migrate.ts').join(' ')}\n`;
    const procfile = await folder.write('Procfile', lines);
    const child = spawn(process.execPath, [...argsOf('commands/start.ts'), '--procfile', procfile], {
      env: { PATH: process.env['PATH'], DATA_DIR: folder.path, ...noModel, ...settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said += String(piece);
    });
    const [code] = await once(child, 'close');
    expect(code, said).to.equal(1);
    const told = said.trimEnd().split('\n');
    return { lines: told, last: told.at(-1) ?? '' };
  };
  const noModel = { OPENAI_API_KEY: 'none', OPENAI_MODEL: 'none' };
  const database = { SECRET_KEY: 'the secret key of all these tests together' };

  it('since another one has its data folder says what to do', async () => {
    const stat = await readFile(`/proc/${process.pid}/stat`, 'utf8');
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    await folder.write('launcher.pid', { pid: process.pid, startedAt });
    const { last } = await start({});
    expect(last).to.include(
      `Parley already runs on this data folder (process ${process.pid}): use that one, stop it, or set DATA_DIR to another folder`,
    );
  });

  it('since its port is taken says what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { last } = await start({ PORT: String(port) });
    expect(last).to.include(`port ${port} is in use, or not allowed: set PORT to another one`);
    server.close();
  });

  it('since a newer version has used its database says what to do, once', async () => {
    const { db, url, drop } = await makeDatabase();
    await db('knex_migrations').insert({ name: '9999-later', batch: 2, migration_time: new Date() });
    const { lines, last } = await start({ ...database, DATABASE_URL: url });
    expect(last).to.match(
      /release failed \(exit code 1\): The database has the migration 9999-later, .* or choose another database/,
    );
    expect(lines.filter(line => line.includes('9999-later'))).to.have.length(1);
    await drop();
  });
});
