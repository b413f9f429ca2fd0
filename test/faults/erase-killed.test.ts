import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { argsOf } from '../support/program.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const EMAIL = 'canario.zenobio@exemplo.test';

describe('npm run erase that is killed', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await makeDatabase();
  });
  afterEach(() => database.drop());

  const startErase = () =>
    spawn(process.execPath, [...argsOf('commands/erase.ts'), '--host', 'own', '--contact', EMAIL], {
      env: { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) },
      stdio: 'ignore',
    });
  const sessions = () => rowsOf(database.db)`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'parley-command'`;

  it('ends its session in the database, also while a statement runs or waits', async () => {
    const host_id = (await createHost(database.db, { slug: 'own', name: 'Own' }))?.id;
    await database.db('contacts').insert({ host_id, email: EMAIL });
    await database.db.transaction(async tx => {
      await tx('contacts').where({ host_id }).forUpdate();
      const command = startErase();
      const ended = once(command, 'exit');
      await waitForLock(database.db);
      command.kill('SIGKILL');
      await ended;
      await eventually(sessions, ({ length }) => length === 0, 15_000);
    });
  });
});
